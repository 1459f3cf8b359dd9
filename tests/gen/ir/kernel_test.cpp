// SPDX-License-Identifier: MIT
// What the axes of an array say of it.

#include "vkmoye/gen/ir/kernel.hpp"

#include <gtest/gtest.h>

namespace vkmoye::gen {
namespace {

using ir::compact_size;
using ir::Expr;

TEST(CompactSize, IsTheProductOfTheExtents) {
  const Expr rows = ir::variable("rows"), cols = ir::variable("cols");
  EXPECT_TRUE(same(*compact_size({}), 1));
  EXPECT_TRUE(same(*compact_size({{"i", 7, 1}}), 7));
  EXPECT_TRUE(same(*compact_size({{"i", 3, 1}, {"j", 5, 3}, {"k", 2, 15}}), 30));
  EXPECT_TRUE(same(*compact_size({{"col", "cols", 1}, {"row", "rows", cols}}), cols * rows));
  EXPECT_TRUE(same(*compact_size({{"i", 4, 1}, {"col", "cols", 4}}), 4 * cols));
  EXPECT_TRUE(same(*compact_size({{"i", 0, 1}, {"j", 5, 0}}), 0));
}

TEST(CompactSize, ThereIsNoneWhereThereAreGapsOrAnotherOrder) {
  const Expr rows = ir::variable("rows"), cols = ir::variable("cols");
  EXPECT_FALSE(compact_size({{"i", 7, 2}}));
  EXPECT_FALSE(compact_size({{"i", 3, 1}, {"j", 5, 4}}));
  EXPECT_FALSE(compact_size({{"i", 3, 5}, {"j", 5, 1}}));
  EXPECT_FALSE(compact_size({{"i", 3, 1}, {"j", 5, 0}}));
  EXPECT_FALSE(compact_size({{"col", "cols", 1}, {"row", "rows", rows}}));
  EXPECT_FALSE(compact_size({{"col", "cols", 1}, {"row", "rows", cols + 1}}));
  EXPECT_FALSE(compact_size({{"i", 3, 1}, {"j", 5, 3}, {"k", 2, 16}}));
}

// Indices wrap at 2^32; what a pointer reaches does not.
TEST(CompactSize, MayBeBeyond32Bits) {
  const std::vector<ir::Axis> axes = {{"i", 1 << 20, 1},
                                      {"j", 1 << 13, 1u << 20},
                                      {"k", 3, ir::stride_from(std::int64_t{1} << 33)}};
  const auto size = compact_size(axes);
  ASSERT_TRUE(size);
  EXPECT_EQ((*size)->value, std::uint64_t{3} << 33);
  EXPECT_FALSE(compact_size({axes[0], axes[1], {"k", 3, 0}}));
}

}  // namespace
}  // namespace vkmoye::gen
