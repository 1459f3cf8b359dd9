// SPDX-License-Identifier: MIT
// Plans that become one kernel, on the twin: steps that see an array differently, that have fewer threads and overwrite
// what they read, and whose shared arrays have one memory.

#include "vkmoye/gen/passes/resident.hpp"

#include <algorithm>

#include "support/expect.hpp"
#include "support/fake_devices.hpp"
#include "support/kernel_on_twin.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/verify/verify.hpp"

namespace vkmoye::test {
namespace {

using namespace gen;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr ScalarType kF32 = ScalarType::f32;
constexpr std::uint32_t kColumns = 6, kRows = 8;

// to(c, r) = 2 * from(c, r), a row for each workgroup.
ir::Kernel doubled() {
  Builder k("test/doubled", 64);
  const std::vector<Builder::AxisSpec> axes = {{"c", kColumns}, {"r", kRows}};
  const Tensor from = k.input("from", kF32, axes), to = k.output("to", kF32, axes);
  const auto mine = [&](const Tensor& of) {
    return parallelize(tile(of, {64, 1}, {0, k.block_x()}), make_layout({64, 1}), k.thread());
  };
  k.apply(
      mine(to), [](const Expr& v) { return 2.0 * v; }, mine(from));
  return k.finish();
}

// row(i) = row(i) + 1 for all elements, by workgroups of 16 threads.
ir::Kernel increased() {
  Builder k("test/increased", 16);
  const Tensor row = k.in_out("row", kF32, {{"i", kColumns * kRows}});
  const View mine = parallelize(tile(row, {16}, {k.block_x()}), make_layout({16}), k.thread());
  k.apply(
      mine, [](const Expr& v) { return v + 1.0; }, mine);
  return k.finish();
}

// sums(r) = the sum of the elements (c, 0, r) and (c, 1, r), as (3, 2, 8); the first thread adds what is in shared
// memory.
ir::Kernel summed(std::int64_t row_stride = 6) {
  Builder k("test/summed", 8);
  const Tensor x = k.input("x", kF32, {{"c", 3}, {"half", 2}, {"r", kRows, Extent(row_stride)}});
  const Tensor sums = k.output("sums", kF32, {{"r", kRows}});
  const View held = k.shared("held", kF32, make_layout({8}));
  const View part =
      parallelize(tile(x, {4, 2, 1}, {0, 0, k.block_x()}), make_layout({4, 2, 1}), k.thread());
  const View number = k.make_fragment_like("number", kF32, part);
  k.copy(part, number, {.edges = Edges::zero});
  k.copy(number, parallelize(held, make_layout({8}), k.thread()));
  k.barrier();
  k.branch({equal(k.thread(), 0)}, [&] {
    const View sum = k.registers("sum", kF32, Layout());
    k.assign(sum, 0);
    k.unrolled_loop("i", 8, [&](const Expr& i) {
      const Expr one = k.load("one", take(held, i, 1));
      k.apply(
          sum, [&](const Expr& v) { return v + one; }, sum);
    });
    k.copy(repeat(sum, 0, 1), tile(sums, {1}, {k.block_x()}));
  });
  return k.finish();
}

KernelPlan plan_of(const ir::Kernel& last) {
  constexpr std::uint64_t kBytes = 4 * kColumns * kRows;
  KernelPlan plan;
  plan.arrays = {{"from", kBytes}, {"to", kBytes}, {"sums", 4 * kRows}};
  KernelPlan of_increased;
  of_increased.arrays = {{"row", kBytes}};
  of_increased.steps = {{increased(), {}, {0}}};
  plan.steps = {{doubled(), {}, {0, 1}}};
  const std::size_t to = 1;
  append(plan, of_increased, std::span(&to, 1));
  plan.steps.push_back({last, {}, {1, 2}});
  return plan;
}

TEST(ResidentPlan, SeesAnArrayAsEachOfItsStepsDoes) {
  DeviceCaps caps = h200_like();
  caps.resident_groups = 3;
  const KernelPlan plan = resident(plan_of(summed()), caps, 3);
  ASSERT_EQ(plan.steps.size(), 1u);
  const ir::Kernel& kernel = plan.steps.front().kernel;
  EXPECT_EQ(kernel.threads, 64u);
  EXPECT_THAT(verify(kernel), IsEmpty());
  Floats arrays;
  for (std::uint32_t i = 0; i < kColumns * kRows; ++i)
    arrays["from"].push_back(static_cast<float>(i));
  run_on_twin(kernel, {}, arrays);
  const auto expected = [](std::uint32_t row) {
    float sum = 0;
    for (std::uint32_t c = 0; c < kColumns; ++c)
      sum += 2 * static_cast<float>(kColumns * row + c) + 1;
    return sum;
  };
  std::vector<float> sums;
  for (std::uint32_t row = 0; row < kRows; ++row) sums.push_back(expected(row));
  EXPECT_EQ(arrays.at("sums"), sums);
}

TEST(ResidentPlan, OverwritesArraysOfSeveralTypesWithFewerThreads) {
  Builder k("test/both", 16);
  for (const auto& [name, type] : {std::pair("a", kF32), {"b", ScalarType::f16}}) {
    const Tensor row = k.in_out(name, type, {{"i", kColumns * kRows}});
    const View mine = parallelize(tile(row, {16}, {k.block_x()}), make_layout({16}), k.thread());
    k.apply(
        mine, [](const Expr& v) { return v + 1.0; }, mine);
  }
  KernelPlan plan = plan_of(summed());
  plan.arrays.push_back({"b", 2 * kColumns * kRows});
  plan.steps.push_back({k.finish(), {}, {1, 3}});
  const ir::Kernel kernel = resident(plan, h200_like(), 3).steps.front().kernel;
  EXPECT_THAT(verify(kernel), IsEmpty());
  Floats arrays;
  for (const char* name : {"from", "b"}) arrays[name].assign(kColumns * kRows, 3);
  run_on_twin(kernel, {}, arrays);
  EXPECT_EQ(arrays.at("to"), std::vector<float>(kColumns * kRows, 8));
  EXPECT_EQ(arrays.at("b"), std::vector<float>(kColumns * kRows, 4));
}

TEST(ResidentPlan, RefusesAnArrayWithGaps) {
  const std::vector<std::string> reasons = reasons_against_resident(plan_of(summed(7)));
  EXPECT_THAT(reasons, ElementsAre(HasSubstr("test/summed: its array x has another type or other "
                                             "extents than to of another step")));
}

TEST(ResidentPlan, SharesMemoryBetweenSteps) {
  KernelPlan plan = plan_of(summed());
  plan.arrays.push_back({"other sums", 4 * kRows});
  plan.steps.push_back({summed(), {}, {1, 3}});
  const KernelPlan one = resident(plan, h200_like(), 3);
  const auto& arrays = one.steps.front().kernel.arrays;
  EXPECT_EQ(std::count_if(arrays.begin(), arrays.end(),
                          [](const ir::Array& array) { return array.is_shared(); }),
            1);
}

}  // namespace
}  // namespace vkmoye::test
