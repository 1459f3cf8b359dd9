// SPDX-License-Identifier: MIT
#include "vkmoye/gen/proof/results.hpp"

#include <gtest/gtest.h>

#include "vkmoye/gen/kernels/moves/ladder.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen::proof {
namespace {

TEST(IntegerSet, IsDecidedAndProjected) {
  const Solver solver(100'000);
  const Set few = solver.not_negative({{"n", -1}}, 9),
            above = solver.not_negative({{"t", 1}, {"n", -1}}, 0);
  EXPECT_FALSE((few & above).is_empty());
  EXPECT_TRUE((few & above).project_out({"t"}).is_subset_of(few));
  EXPECT_TRUE((few & few.complement()).is_empty());
  const auto point = (few & above & solver.zero({{"t", 1}}, -4)).sample();
  ASSERT_TRUE(point);
  EXPECT_EQ(point->at("t"), 4);
}

TEST(IntegerSet, GivesUpAfterItsSteps) {
  const Solver solver(1);
  const auto work = [&] {
    Set all = solver.everything();
    for (int i = 0; i < 1000; ++i) {
      all = all & (solver.zero({{"a", 2}, {"b", -3}}, i) | solver.zero({{"a", 5}, {"b", 7}}, -i))
                      .complement();
      if (all.is_empty()) return;
    }
  };
  EXPECT_THROW(work(), GaveUp);
}

TEST(ProveResults, OfAPaddedTransposeForEverySize) {
  for (const Obligation& one : prove_results(transpose({.pad = 1}))) {
    EXPECT_EQ(one.decision, Decision::proved) << one.claim << ": " << one.why;
  }
}

// Vectors of 4 along columns where they fit, single elements elsewhere.
TEST(ProveResults, OfVectorsBesideElements) {
  KernelRequest request = request_of(ScalarType::f32);
  request.options = {{"exchange", "shuffle"}};
  for (const Obligation& one : prove_results(find_kernel("transpose/auto")->describe(request))) {
    EXPECT_EQ(one.decision, Decision::proved) << one.claim << ": " << one.why;
  }
}

// dst[i] = .. for all i < n but 1000.
TEST(ProveResults, NamesTheSizeAtWhichAnElementIsLeftOut) {
  ir::Kernel kernel;
  kernel.name = "test";
  kernel.threads = 64;
  kernel.arguments = {"n"};
  kernel.arrays = {{"dst",
                    ScalarType::f32,
                    ir::Array::Space::buffer,
                    vkmoye::Access::write,
                    {{"i", "n", 1}},
                    ""}};
  kernel.grid[0] = {"n", 64, 0};
  const ir::Expr i = 64 * ir::builtin(ir::Builtin::group_x) + ir::builtin(ir::Builtin::thread, 64);
  const ir::Body store = {ir::Store{{"dst", {i}}, ir::number(ScalarType::f32, 1)}};
  const ir::Expr n = ir::variable("n");
  kernel.body = {ir::If{logical_and(less(i, n), not_equal(n, 1000)), store}};
  const std::vector<Obligation> list = prove_results(kernel);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].decision, Decision::proved);
  EXPECT_EQ(list[1].decision, Decision::refuted);
  EXPECT_EQ(list[1].arguments.at("n"), 1000);

  kernel.body = {ir::If{less(i, n), store}};
  for (const Obligation& one : prove_results(kernel)) EXPECT_EQ(one.decision, Decision::proved);
}

}  // namespace
}  // namespace vkmoye::gen::proof
