#include "vkmoye/gen/ir/evaluate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vkmoye::gen::ir {
namespace {

using testing::Each;
using testing::ElementsAre;

const Expr thread = builtin(Builtin::thread, 4);
const Expr row = variable("row"), cols = variable("cols");

TEST(Evaluate, GivesTheValueInEveryThread) {
  Budget budget(1000);
  Evaluator values(4, budget);
  values.define("row", Values(4, 7));
  EXPECT_THAT(values(8 * row + thread), ElementsAre(56, 57, 58, 59));
  EXPECT_THAT(values((thread - 1) / 2), ElementsAre(0x7fffffff, 0, 0, 1));  // modulo 2^32
  EXPECT_THAT(values(less(thread % 3, 1)), ElementsAre(1, 0, 0, 1));
  values.define("row", {1, 2, 3, 4});
  EXPECT_THAT(values(8 * row + thread), ElementsAre(8, 17, 26, 35));
}

TEST(Evaluate, WhatDependsOnAnUnknownIsAbsent) {
  Budget budget(1000);
  Evaluator values(4, budget);
  EXPECT_THAT(values(cols + thread), Each(Value()));
  EXPECT_THAT(values(thread / row), Each(Value()));
  // No matter what cols is, threads 2 and 3 do not come by.
  EXPECT_THAT(values(logical_and(less(thread, cols), less(thread, 2))),
              ElementsAre(Value(), Value(), 0, 0));
  values.define("row", Values(4, 0));
  EXPECT_THAT(values(thread / row), Each(Value()));
}

TEST(Evaluate, TheGroupIsUnknownUnlessItIsGiven) {
  Budget budget(1000);
  const Expr group = builtin(Builtin::group_x);
  EXPECT_THAT(Evaluator(4, budget)(32 * group), Each(Value()));
  EXPECT_THAT(Evaluator(4, budget, 2)(32 * group), Each(Value(64)));
}

TEST(Evaluate, StopsWhereTheBudgetEnds) {
  Budget budget(100);
  Evaluator values(4, budget);
  Expr sum = thread;
  for (std::uint32_t i = 0; i < 20; ++i) sum = (sum + thread) % 3;
  EXPECT_THROW(values(sum), Budget::Exceeded);
}

// Every node once: this one has 2^30 paths to its leaves.
TEST(Evaluate, SharedNodesAreEvaluatedOnce) {
  Budget budget(1000);
  Expr sum = thread;
  for (int i = 0; i < 30; ++i) sum = sum + sum;
  EXPECT_THAT(Evaluator(4, budget)(sum), ElementsAre(0, 1u << 30, 2u << 30, 3u << 30));
}

}  // namespace
}  // namespace vkmoye::gen::ir
