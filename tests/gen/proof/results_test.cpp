// SPDX-License-Identifier: MIT
#include "vkmoye/gen/proof/results.hpp"

#include <gtest/gtest.h>

#include "vkmoye/gen/ir/ceil_div.hpp"
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

// Rows of any length that follow each other in memory, in vectors of 8 from the aligned element before a row on; single
// elements where a vector is not within its row. `moved_by` of the offset of the row, (cols * row) % 8 where that is right.
ir::Kernel rows_from_aligned_elements(const ir::Expr& row, const ir::Expr& moved_by,
                                      std::uint32_t beyond = 7) {
  ir::Kernel kernel;
  kernel.name = "test";
  kernel.threads = 64;
  kernel.arguments = {"cols", "rows"};
  const ir::Expr cols = ir::variable("cols"), rows = ir::variable("rows");
  kernel.arrays = {{"dst",
                    ScalarType::f16,
                    ir::Array::Space::buffer,
                    vkmoye::Access::write,
                    {{"col", "cols", 1}, {"row", "rows", cols}},
                    ""}};
  kernel.grid[0] = {"rows", 2, 0};
  const ir::Expr thread = ir::builtin(ir::Builtin::thread, 64),
                 zero = ir::number(ScalarType::f16, 0);
  const ir::Expr col = 256 * ir::variable("block") + 8 * (thread % 32) - moved_by;
  const ir::Expr one = col + ir::variable("v", ir::kIndex, 8);
  const ir::Body vector = {ir::Store{{"dst", {col, row}, "", 8}, zero}};
  const ir::Body element = {ir::If{less(one, cols), {ir::Store{{"dst", {one, row}}, zero}}}};
  const ir::Body move = {
      ir::If{less(col, maximum(cols, 7) - 7), vector, {ir::For{"v", 8, element}}}};
  kernel.body = {
      ir::For{"block", ir::ceil_div(cols + beyond, 256), {ir::If{less(row, rows), move}}}};
  return kernel;
}

const ir::Expr row_of_thread =
    2 * ir::builtin(ir::Builtin::group_x) + ir::builtin(ir::Builtin::thread, 64) / 32;

// cols * row is not linear, but the same for all accesses to elements (.., row).
TEST(ProveResults, OfRowsThatBeginAnywhere) {
  const ir::Expr start = ir::variable("cols") * row_of_thread;
  const auto list = prove_results(rows_from_aligned_elements(row_of_thread, start % 8));
  ASSERT_EQ(list.size(), 2u);
  for (const Obligation& one : list) {
    EXPECT_EQ(one.decision, Decision::proved) << one.claim << ": " << one.why;
  }
}

TEST(ProveResults, OfRowsThatBeginAnywhereFailsWhereAnElementIsLeftOut) {
  const ir::Expr cols = ir::variable("cols"), start = cols * row_of_thread;
  // With cols = 256, the last element of a row may be in the second block.
  const auto too_few = prove_results(rows_from_aligned_elements(row_of_thread, start % 8, 0));
  EXPECT_NE(too_few.at(1).decision, Decision::proved);
  // Threads of one row do not agree how far it is moved back.
  const ir::Expr of_thread = cols * ir::builtin(ir::Builtin::thread, 64);
  const auto apart = prove_results(rows_from_aligned_elements(row_of_thread, of_thread % 8));
  EXPECT_NE(apart.at(0).decision, Decision::proved);
  EXPECT_NE(apart.at(1).decision, Decision::proved);
  // What is the row in one access is not in another.
  ir::Kernel kernel = rows_from_aligned_elements(row_of_thread, start % 8);
  const ir::Body more = rows_from_aligned_elements(row_of_thread + 2, start % 8).body;
  kernel.body.insert(kernel.body.end(), more.begin(), more.end());
  EXPECT_NE(prove_results(kernel).at(0).decision, Decision::proved);
}

}  // namespace
}  // namespace vkmoye::gen::proof
