// SPDX-License-Identifier: MIT
// What conditions prove of coordinates, and what they do not.

#include "vkmoye/gen/ir/guards.hpp"

#include <gtest/gtest.h>

namespace vkmoye::gen {
namespace {

using ir::Expr;

const Expr n = ir::variable("n");
const Expr block = ir::variable("block");
const Expr thread96 = ir::variable("thread", ir::kIndex, 96);

bool is_in_range(const Expr& coordinate, const Extent& extent, const ir::Guards& guards) {
  return ir::prove_in_range(coordinate, {"i", extent}, guards).has_value();
}

TEST(Guards, TheLastOfATileIsInside) {
  const ir::Guards guards = {less(128 * block + 127, n)};
  EXPECT_TRUE(is_in_range(128 * block + thread96, "n", guards));
  EXPECT_TRUE(is_in_range(128 * block + thread96 + 32, "n", guards));
  EXPECT_FALSE(is_in_range(128 * block + thread96 + 33, "n", guards));
  EXPECT_FALSE(is_in_range(64 * block + thread96, "n", guards));
}

// 96 * block + 95 may wrap, so that it is below n where 96 * block is not.
TEST(Guards, ATileOfNoPowerOfTwoNeedsTheDistanceToTheEnd) {
  const Expr first = 96 * block;
  EXPECT_FALSE(is_in_range(first + thread96, "n", {less(first + 95, n)}));
  const ir::Guards guards = {less(first, n), ir::less(95, n - first)};
  EXPECT_TRUE(is_in_range(first + thread96, "n", guards));
  EXPECT_FALSE(is_in_range(first + thread96 + 1, "n", guards));
  EXPECT_FALSE(is_in_range(first + thread96, "n", {ir::less(95, n - first)}));
  EXPECT_FALSE(is_in_range(first + thread96, "n", {less(first, n), ir::less(94, n - first)}));
}

// 8 * block + 8 may wrap to 0, which is below n.
TEST(Guards, ASumThatMayWrapSaysNothing) {
  const Expr some = ir::variable("some", ir::kIndex, 16), wraps = 8 * block + 8;
  EXPECT_FALSE(is_in_range(8 * block + some, 4096, {less(wraps, 4096)}));
  EXPECT_FALSE(is_in_range(8 * block + some, "n", {less(wraps, n), ir::less(95, n - wraps)}));
}

TEST(Guards, WhereTheEndIsAMultipleTheBeginOfATileIsEnough) {
  const ir::Guards guards = {less(128 * block, 4096)};
  EXPECT_TRUE(is_in_range(128 * block + thread96 + 32, 4096, guards));
  EXPECT_FALSE(is_in_range(128 * block + thread96 + 33, 4096, guards));
  EXPECT_FALSE(is_in_range(128 * block + thread96, 4095, guards));
  EXPECT_TRUE(is_in_range(128 * block + thread96, 4097, guards));
  EXPECT_FALSE(is_in_range(128 * block + thread96, 4000, {less(128 * block, 4000)}));
  // n may be a multiple of 128 by another guard.
  EXPECT_FALSE(is_in_range(128 * block + thread96, "n", {less(128 * block, n)}));
  EXPECT_TRUE(
      is_in_range(128 * block + thread96, "n", {less(128 * block, n), ir::equal(n % 128, 0)}));
}

TEST(Guards, AWholeWordOfAnArrayIsInside) {
  const Expr word = ir::variable("word");
  EXPECT_TRUE(is_in_range(4 * word + 3, "n", {less(word, n / 4)}));
  EXPECT_TRUE(is_in_range(4 * (word + 1) + 3, "n", {less(word + 1, n / 4)}));
  EXPECT_FALSE(is_in_range(4 * word + 4, "n", {less(word, n / 4)}));
  EXPECT_FALSE(is_in_range(4 * word + 3, "n", {less(word, n / 2)}));
  EXPECT_FALSE(is_in_range(2 * word + 1, "n", {less(word, n / 4 + 1)}));
  EXPECT_FALSE(is_in_range(4 * word, "n", {less(word, block / 4)}));
  EXPECT_TRUE(is_in_range(2 * word + 1, 1089, {less(word, 544)}));
  EXPECT_FALSE(is_in_range(2 * word + 1, 1089, {less(word, 545)}));
}

TEST(Guards, SoIsAWordThatIsClampedWhereThereIsOne) {
  const Expr word = 4 * ir::minimum(ir::variable("word"), n / 4 - 1);
  EXPECT_TRUE(is_in_range(word + 3, "n", {less(0, n / 4)}));
  EXPECT_FALSE(is_in_range(word + 3, "n", {}));
  EXPECT_FALSE(is_in_range(word + 3, "n", {less(0, n)}));
  EXPECT_FALSE(is_in_range(word + 4, "n", {less(0, n / 4)}));
}

}  // namespace
}  // namespace vkmoye::gen
