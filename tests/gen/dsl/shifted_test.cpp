// SPDX-License-Identifier: MIT
// Views that begin and end at coordinates from arguments or memory.

#include <random>

#include "support/effort.hpp"
#include "support/expect.hpp"
#include "support/kernel_on_twin.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::gen {
namespace {

// dst = the rows first .. end - 1 of src, 8 of them; 0 where there are fewer.
struct RowsOf {
  Builder k{"rows_of", 32};
  Tensor src = k.input("src", ScalarType::f32, {{"col", "cols"}, {"row", "rows"}});
  Tensor dst = k.output("dst", ScalarType::f32, {{"col", "cols"}, {"row", 8}});
  Expr first = k.argument("first", ScalarType::u32), end = k.argument("end", ScalarType::u32);
  View from = shifted(tile(src, {16, 8}, {k.block_x(), 0}), 1, first, end);
  View to = tile(dst, {16, 8}, {k.block_x(), 0});
  Layout threads = make_layout({16, 2});
  View mine = parallelize(from, threads, k.thread());
  View values = k.make_fragment_like("values", ScalarType::f32, mine);

  void copy(Edges edges) {
    k.assign(values, 0);
    k.copy(mine, values, {.edges = edges});
    k.copy(values, parallelize(to, threads, k.thread()));
  }
};

TEST(Shifted, BeginsAndEndsWhereItSays) {
  RowsOf d;
  d.k.assume(logical_not(less(d.src.extent(1), d.end)), "rows has the end");
  d.k.branch(
      d.k.inside(d.from), [&] { d.copy(Edges::inside); }, [&] { d.copy(Edges::skip); });
  const ir::Kernel kernel = d.k.finish();
  std::mt19937 random(5);
  for (int i = 0; i < test::often(200, 40); ++i) {
    const std::uint32_t rows = random() % 30, cols = 1 + random() % 40;
    const std::uint32_t end = random() % (rows + 1), first = random() % (end + 2);
    std::vector<float> src(rows * cols), dst(8 * cols, -1);
    for (std::size_t x = 0; x < src.size(); ++x) src[x] = static_cast<float>(x + 1);
    test::run_on_twin(kernel, {{"cols", cols}, {"rows", rows}, {"first", first}, {"end", end}}, src,
                      dst);
    for (std::uint32_t row = 0; row < 8; ++row) {
      for (std::uint32_t col = 0; col < cols; ++col) {
        const float expected = first + row < end ? src[(first + row) * cols + col] : 0;
        ASSERT_EQ(dst[row * cols + col], expected) << first << " .. " << end << ": " << row;
      }
    }
  }
}

// An end that may lie beyond the array is refused.
TEST(Shifted, MustEndInside) {
  RowsOf d;
  d.copy(Edges::skip);
  EXPECT_REFUSED(d.k.finish(), KernelError,
                 "accesses src at a coordinate along row that is not proved to "
                 "be below rows");
}

}  // namespace
}  // namespace vkmoye::gen
