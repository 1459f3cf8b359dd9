// SPDX-License-Identifier: MIT
#include "vkmoye/gen/machine/evaluator.hpp"

#include "support/expect.hpp"

namespace vkmoye::gen::machine {
namespace {

using ir::Builtin;
using ir::builtin;
using ir::Expr;
using ir::less;
using ir::variable;

const Workgroup four{.threads = 4};

// In each of the four threads.
std::vector<Value> in_each(const Values& values) {
  std::vector<Value> out;
  for (std::size_t t = 0; t < 4; ++t) out.push_back(values.in(t));
  return out;
}

const Expr thread4 = builtin(Builtin::thread, 4);
const Expr row = variable("row"), cols = variable("cols");

TEST(Evaluate, GivesTheValueInEveryThread) {
  Budget budget(1000);
  Evaluator values(four, budget);
  values.define("row", Values::same(7));
  EXPECT_THAT(in_each(values(8 * row + thread4)), ElementsAre(56, 57, 58, 59));
  EXPECT_THAT(in_each(values((thread4 - 1) / 2)), ElementsAre(0x7fffffff, 0, 0, 1));  // modulo 2^32
  EXPECT_THAT(in_each(values(less(thread4 % 3, 1))), ElementsAre(1, 0, 0, 1));
  Values rows = Values::different(4);
  for (std::size_t t = 0; t < 4; ++t) rows.set(t, t + 1);
  values.define("row", rows);
  EXPECT_THAT(in_each(values(8 * row + thread4)), ElementsAre(8, 17, 26, 35));
}

TEST(Evaluate, SubtractsVectorsElementByElement) {
  Budget budget(1000);
  Evaluator values(four, budget);
  const auto half = [](double value) { return ir::number(ScalarType::f16, value); };
  const Expr two = ir::vector({half(1029), half(1038)}) - ir::vector({half(1032), half(1032)});
  const auto part = [&](std::uint32_t i) { return values(component(two, i)).in(0); };
  EXPECT_EQ(part(0), half(-3)->value);
  EXPECT_EQ(part(1), half(6)->value);
}

// Only kernels that the verifier refuses do this: it followed such mutants beyond the end of a value.
TEST(Evaluate, ANameOfAnotherWidthIsAbsent) {
  Budget budget(1000);
  Evaluator values(four, budget);
  values.define("v", Values::same(7));
  const Expr wide = variable("v", {ir::Type::Kind::element, ScalarType::f16, 4});
  EXPECT_THAT(in_each(values(component(wide, 3))), Each(Value()));
  EXPECT_THAT(in_each(values(ir::vector({wide, wide}))), Each(Value()));
  EXPECT_THAT(in_each(values(variable("v") + 1)), Each(Value(8)));
}

TEST(Evaluate, WhatDependsOnAnUnknownIsAbsent) {
  Budget budget(1000);
  Evaluator values(four, budget);
  EXPECT_THAT(in_each(values(cols + thread4)), Each(Value()));
  EXPECT_THAT(in_each(values(thread4 / row)), Each(Value()));
  // No matter what cols is, threads 2 and 3 do not come by.
  EXPECT_THAT(in_each(values(logical_and(less(thread4, cols), less(thread4, 2)))),
              ElementsAre(Value(), Value(), 0, 0));
  values.define("row", Values::same(0));
  EXPECT_THAT(in_each(values(thread4 / row)), Each(Value()));
}

TEST(Evaluate, TheGroupIsUnknownUnlessItIsGiven) {
  Budget budget(1000);
  const Expr group = builtin(Builtin::group_x);
  EXPECT_THAT(in_each(Evaluator(four, budget)(32 * group)), Each(Value()));
  EXPECT_THAT(in_each(Evaluator({4, 1, {2, 0, 0}}, budget)(32 * group)), Each(Value(64)));
}

TEST(Evaluate, StopsWhereTheBudgetEnds) {
  Budget budget(100);
  Evaluator values(four, budget);
  Expr sum = thread4;
  for (std::uint32_t i = 0; i < 20; ++i) sum = (sum + thread4) % 3;
  EXPECT_THROW(values(sum), Budget::Exceeded);
}

// Every node once: this one has 2^30 paths to its leaves.
TEST(Evaluate, SharedNodesAreEvaluatedOnce) {
  Budget budget(1000);
  Expr sum = thread4;
  for (int i = 0; i < 30; ++i) sum = sum + sum;
  EXPECT_THAT(in_each(Evaluator(four, budget)(sum)), ElementsAre(0, 1u << 30, 2u << 30, 3u << 30));
}

}  // namespace
}  // namespace vkmoye::gen::machine
