// SPDX-License-Identifier: MIT
#include "vkmoye/tensor/tiled_copy.hpp"

#include <vector>

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/layout/text.hpp"
#include "vkmoye/tensor/coordinates.hpp"

namespace vkmoye {
namespace {

// Six threads copy a (4,9) tile.
constexpr TiledCopy kCopy = make_tiled_copy("(2,3):(3,1)"_layout, "(2,3):(1,2)"_layout);
static_assert(kCopy.layout_tv == "((3,2),(2,3)):((12,2),(1,4))"_layout);
static_assert(kCopy.tiler == IntTuple{4, 9});
static_assert(kCopy.layout_tv(1, 0) == 12 && kCopy.layout_tv(1, 5) == 21);

// A coalesced vector copy: 256 threads with 4 consecutive values each.
static_assert(make_tiled_copy("(32,8):(1,32)"_layout, "(4,1):(1,4)"_layout).layout_tv ==
              "(256,4):(4,1)"_layout);
static_assert(composition("(4,9):(9,1)"_layout, kCopy.layout_tv)(1, 0) == 3);

TEST(TiledCopy, OwnsEveryElementOnce) {
  std::vector<int> owners(36, 0);
  for (std::int64_t i = 0; i < 36; ++i) ++owners[static_cast<std::size_t>(kCopy.layout_tv(i))];
  EXPECT_EQ(owners, std::vector<int>(36, 1));
}

TEST(TiledCopy, RefusesThreadsAndValuesThatAreNotNumbered) {
  EXPECT_REFUSED(make_tiled_copy("4:2"_layout, "4:1"_layout), LayoutError,
                 "threads of 4:2: they are not numbered 0 to 3, each once");
  EXPECT_REFUSED(make_tiled_copy("4:1"_layout, "(2,2):(1,0)"_layout), LayoutError,
                 "values of (2,2):(1,0)");
}

// A ragged edge: tile (3,2) of 32x32 tiles over (100,70) starts at (96,64).
constexpr CoordinateTensor kCoordinates = make_identity_tensor({100, 70});
static_assert(kCoordinates({7, 5}) == IntTuple{7, 5});
static_assert(local_tile(kCoordinates, {32, 32}, {3, 2})({5, 1}) == IntTuple{101, 65});
static_assert(make_identity_tensor({{2, 4}, 8})({{1, 2}, 3}) == IntTuple{{1, 2}, 3});

TEST(CoordinateTensor, PredicatesExactlyTheElementsInside) {
  const IntTuple shape = {100, 70};
  const Layout threads = "(32,8):(1,32)"_layout;
  std::vector<int> seen(100 * 70, 0);
  for (std::int64_t tile_m = 0; tile_m < 4; ++tile_m) {
    for (std::int64_t tile_n = 0; tile_n < 3; ++tile_n) {
      const auto tile = local_tile(kCoordinates, {32, 32}, {tile_m, tile_n});
      for (std::int64_t thread = 0; thread < 256; ++thread) {
        const auto part = local_partition(tile, threads, thread);
        for (std::int64_t v = 0; v < part.size(); ++v) {
          const IntTuple at = part(v);
          if (elem_less(at, shape)) ++seen[static_cast<std::size_t>(at.leaf(0) + 100 * at.leaf(1))];
        }
      }
    }
  }
  EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
}

}  // namespace
}  // namespace vkmoye
