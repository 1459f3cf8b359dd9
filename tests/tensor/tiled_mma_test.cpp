// SPDX-License-Identifier: MIT
// TiledMma: the elements that each thread multiplies.

#include "vkmoye/tensor/tiled_mma.hpp"

#include <set>

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::test {
namespace {

// Value number `value` of `thread` in C, as (m, n).
std::pair<std::int64_t, std::int64_t> element(const TiledMma& mma, std::int64_t thread,
                                              std::int64_t value) {
  const std::int64_t at = mma.c.layout_tv(thread + size(mma.threads) * value);
  return {at % mma.extent(0), at / mma.extent(0)};
}

TEST(TiledMma, GivesEachThreadAPieceOfC) {
  const TiledMma mma = make_tiled_mma(make_layout({2, 2}), 2, 1);
  EXPECT_EQ(to_string(mma.c.tiler), "(4,2)");
  EXPECT_EQ(element(mma, 0, 0), std::pair(std::int64_t{0}, std::int64_t{0}));
  EXPECT_EQ(element(mma, 0, 1), std::pair(std::int64_t{1}, std::int64_t{0}));
  EXPECT_EQ(element(mma, 1, 0), std::pair(std::int64_t{2}, std::int64_t{0}));
  EXPECT_EQ(element(mma, 3, 1), std::pair(std::int64_t{3}, std::int64_t{1}));
}

TEST(TiledMma, GivesEachElementOneOwner) {
  const Layout layouts[] = {make_layout({16, 16}), make_layout({32, 8}),
                            make_layout({16, 16}, {16, 1}),
                            make_layout({{8, 2}, {4, 4}}, {{1, 32}, {8, 64}})};
  for (const Layout& threads : layouts) {
    for (const std::int64_t vm : {1, 2, 4}) {
      for (const std::int64_t vn : {1, 4}) {
        SCOPED_TRACE(to_string(threads));
        const TiledMma mma = make_tiled_mma(threads, vm, vn);
        std::set<std::int64_t> seen;
        for (std::int64_t i = 0; i < size(mma.c.layout_tv); ++i) seen.insert(mma.c.layout_tv(i));
        EXPECT_EQ(seen.size(), static_cast<std::size_t>(mma.extent(0) * mma.extent(1)));
        EXPECT_EQ(*seen.rbegin(), mma.extent(0) * mma.extent(1) - 1);
      }
    }
  }
}

// The rows of A that a thread reads are the rows of its C; the rows of B are its columns.
TEST(TiledMma, ReadsTheRowsThatItSumsUp) {
  const Layout threads = make_layout({{8, 2}, {4, 4}}, {{1, 32}, {8, 64}});
  const TiledMma mma = make_tiled_mma(threads, 4, 2);
  for (std::int64_t tm = 0; tm < 16; ++tm) {
    for (std::int64_t tn = 0; tn < 16; ++tn) {
      const std::int64_t thread = threads(tm + 16 * tn);
      for (std::int64_t vm = 0; vm < 4; ++vm) {
        for (std::int64_t vn = 0; vn < 2; ++vn) {
          const auto [m, n] = element(mma, thread, vm + 4 * vn);
          EXPECT_EQ(m, mma.operand(0).layout_tv(tm + 16 * vm));
          EXPECT_EQ(n, mma.operand(1).layout_tv(tn + 16 * vn));
        }
      }
    }
  }
}

TEST(TiledMma, RefusesThreadsWithoutANumber) {
  EXPECT_THROW(make_tiled_mma(make_layout({16, 16}, {1, 17})), LayoutError);
  EXPECT_THROW(make_tiled_mma(make_layout(IntTuple{256})), LayoutError);
  EXPECT_THROW(make_tiled_mma(make_layout({16, 16}), 0), LayoutError);
  EXPECT_REFUSED(make_tiled_mma(make_layout({std::int64_t{1} << 32, 1}), std::int64_t{1} << 32),
                 LayoutError, "does not fit 64 bits");
}

constexpr TiledMma kMoye = make_tiled_mma(make_layout({32, 8}));
static_assert(kMoye.extent(0) == 32 && kMoye.extent(1) == 8);

}  // namespace
}  // namespace vkmoye::test
