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

// A loop over `block` < ceil(n / 256) has a round only if n is not 0.
TEST(Guards, WhatWouldBe0WithAnExtentShowsThatItIsNot) {
  const auto follows_from = [](const Expr& end) { return ir::is_positive(n, {less(block, end)}); };
  EXPECT_TRUE(follows_from(n));
  EXPECT_TRUE(follows_from(n / 256 + minimum(n % 256, 1)));
  EXPECT_TRUE(follows_from(thread96 * n));
  EXPECT_TRUE(follows_from(maximum(n / 256, block) - block));  // what is left after `block`
  EXPECT_FALSE(follows_from(maximum(n / 256, block) - thread96));
  EXPECT_FALSE(follows_from(n / 256 + 1));
  EXPECT_FALSE(follows_from(maximum(n, 7)));
  EXPECT_FALSE(follows_from(thread96));
}

// -1 is less than 0; no index is.
TEST(Guards, AComparisonOfDataSaysNothingOfAnIndex) {
  for (const ScalarType type : {ScalarType::f32, ScalarType::i32}) {
    const Expr value = ir::variable("value", ir::element(type)), zero = ir::number(type, 0);
    EXPECT_FALSE(ir::is_positive(n, {less(value, zero)}));
    EXPECT_FALSE(is_in_range(minimum(block, n - 1), "n", {less(value, zero)}));
  }
  EXPECT_TRUE(is_in_range(minimum(block, n - 1), "n", {less(0, n)}));
}

TEST(Guards, ANamedEndIsWhatItIsDefinedAs) {
  ir::Definitions definitions;
  add_definition(definitions, "blocks", n / 256 + minimum(n % 256, 1));
  const ir::Guards guards = {less(block, ir::variable("blocks"))};
  EXPECT_TRUE(ir::is_positive(n, guards, definitions));
  EXPECT_FALSE(ir::is_positive(n, guards));
  EXPECT_FALSE(ir::is_positive(n / 4, guards, definitions));
}

TEST(Guards, AMultipleThatIsNot0HasAWholePart) {
  const ir::Expr is_multiple_of_4 = ir::equal(n % 4, 0);
  EXPECT_TRUE(ir::is_positive(n / 4, {less(0, n), is_multiple_of_4}));
  EXPECT_TRUE(ir::is_positive(n / 2, {less(0, n), is_multiple_of_4}));
  EXPECT_FALSE(ir::is_positive(n / 8, {less(0, n), is_multiple_of_4}));
  EXPECT_FALSE(ir::is_positive(n / 4, {less(0, n)}));
  EXPECT_FALSE(ir::is_positive(n / 4, {is_multiple_of_4}));
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

// What the grid says of a group is known of whatever is worked out from its coordinate.
TEST(Guards, AGroupOfAGridOfANumberOfTilesIsBounded) {
  const Expr lane = ir::variable("lane", ir::kIndex, 48);
  const Expr group = ir::builtin(ir::Builtin::group_x) + ir::variable("first_group_x");
  const auto in_range = [&](const Extent& tiles, std::int64_t tile, const Expr& coordinate) {
    ir::Definitions definitions;
    add_definition(definitions, "block",
                   ir::within_grid(group, {GridDimension{tiles, tile}, {}, {}}));
    add_definition(definitions, "first", 48 * block);
    return ir::prove_in_range(coordinate, {"i", 144}, {}, definitions).has_value();
  };
  const Expr named = ir::variable("first") + lane;
  for (const Expr& coordinate : {48 * block + lane, named}) {
    EXPECT_TRUE(in_range(144, 48, coordinate));
    EXPECT_TRUE(in_range(97, 48, coordinate));
    EXPECT_TRUE(in_range(48, 48, coordinate));
    EXPECT_FALSE(in_range(145, 48, coordinate));  // a fourth group
    EXPECT_FALSE(in_range(144, 16, coordinate));
    EXPECT_FALSE(in_range(144, 48, coordinate + 1));
    EXPECT_FALSE(in_range("n", 48, coordinate));
  }
}

TEST(Guards, APartThatIsCountedBeginsInside) {
  const Expr part = ir::variable("part"), m = ir::variable("m");
  const auto below = [&](const Expr& end) { return ir::Guards{less(part, end)}; };
  const Expr parts = ir::ceil_div(n, 64);
  EXPECT_TRUE(is_in_range(64 * part, "n", below(parts)));
  EXPECT_TRUE(is_in_range(32 * part, "n", below(parts)));
  EXPECT_FALSE(is_in_range(65 * part, "n", below(parts)));
  EXPECT_FALSE(is_in_range(64 * part + 1, "n", below(parts)));
  EXPECT_FALSE(is_in_range(64 * part, "m", below(parts)));
  EXPECT_TRUE(is_in_range(64 * part, "n", below(minimum(m, parts))));
  EXPECT_TRUE(is_in_range(64 * part, "n", below(ir::ceil_div(minimum(n, m), 64))));
  EXPECT_FALSE(is_in_range(64 * part, "n", below(maximum(m, parts))));
  EXPECT_TRUE(ir::prove_in_range(64 * part, {"i", "n"}, below(ir::variable("end")),
                                 {{"end", minimum(m, parts)}})
                  .has_value());
}

TEST(Guards, AConditionIsImplied) {
  const Expr m = ir::variable("m"), inside = less(block, n), other = less(m, n);
  EXPECT_TRUE(is_implied(inside, {inside}));
  EXPECT_FALSE(is_implied(inside, {other}));
  EXPECT_TRUE(is_implied(less(4 * block, n), {less(4 * block + 3, n)}));
  EXPECT_TRUE(is_implied(logical_or(other, inside), {inside}));
  EXPECT_FALSE(is_implied(logical_and(other, inside), {inside}));
  EXPECT_TRUE(is_implied(logical_and(other, inside), {inside, other}));
  EXPECT_TRUE(is_implied(logical_not(inside), {logical_not(inside)}));
  EXPECT_FALSE(is_implied(logical_not(inside), {inside}));
}

}  // namespace
}  // namespace vkmoye::gen
