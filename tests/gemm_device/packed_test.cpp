// Products of packed operands: every mixture of packed and plain ones, every order and edge.

#include <gmock/gmock.h>

#include <random>

#include "support/device_fixture.hpp"
#include "vkmoye/gen/kernels/gemm_packed.hpp"
#include "workloads/device_executor.hpp"
#include "workloads/fragments.hpp"
#include "workloads/gemm_workload.hpp"

namespace vkmoye::test {
namespace {

using namespace bench;

class PackedTest : public DeviceTest {};

bool has_f16_matrices(const DeviceCaps& caps) {
  return std::any_of(
      caps.matrix_shapes.begin(), caps.matrix_shapes.end(), [](const MatrixShape& shape) {
        return shape.a == "f16" && shape.result == "f32" && shape.scope == "subgroup";
      });
}

// Forms are few, since each is two or three pipelines; sizes are many.
TEST_F(PackedTest, RandomProductsAreRight) {
  for_each_device([&](Device& device) {
    if (!has_f16_matrices(device.caps())) return;
    DeviceExecutor executor(std::move(device));
    const auto atom = gen::gemm_packed_config({.operand = ScalarType::f16}, executor.caps());
    const std::string part =
        std::to_string(2 * atom.atom_m) + "x" + std::to_string(2 * atom.atom_n);
    std::mt19937_64 random(5);
    const auto below = [&](std::uint64_t end) { return static_cast<std::int64_t>(random() % end); };
    int form = 0;
    for (const char* type : {"f16,f32", "f16", "f16,f16"}) {
      for (const char* packed : {"none", "a", "ab"}) {
        GemmProblem problem = parse_gemm_type(type);
        problem.packed = packed;
        problem.a_k_contiguous = form % 2 == 0;
        problem.b_k_contiguous = form % 3 != 0;
        problem.c_n_contiguous = form % 4 != 1;
        problem.alpha = form % 5 == 4 ? 0 : -2;
        problem.beta = form % 2 == 0 ? 0.5 : 0;
        problem.batch = form % 3 == 1 ? 3 : 1;
        if (problem.batch > 1) problem.b.stride = 0;
        problem.init = form % 4 == 3 ? Init::nonfinite : Init::integers;
        ++form;
        for (int i = 0; i < 3; ++i) {
          Extents size = {1 + below(100), 1 + below(100), 1 + below(70)};
          if (i == 0) size = {64, 64, 64};
          if (i == 1) size[static_cast<std::size_t>(form % 3)] = 0;
          problem.a.leading = std::nullopt;
          if (i % 2 == 1) problem.a.leading = 100 + below(9);
          const auto workload = make_product(
              {gen::find_kernel("gemm/packed"), "", {{"part", part}}, {}}, problem, size);
          const Plan plan = plan_on(executor, *workload);
          EXPECT_EQ(plan.steps.size(), 3u);
          EXPECT_EQ(plan.beforehand, problem.packed == "none" ? 0u : problem.packed.size());
          ASSERT_THAT(executor.reasons_against(plan), testing::IsEmpty());
          const auto execution = executor.prepare(plan);
          workload->fill(*execution, 1);
          execution->run();
          const Verdict verdict = workload->check(*execution, Verify::full, 1);
          EXPECT_EQ(verdict.first + execution->damage(), "")
              << type << ' ' << packed << ' ' << bench::to_string(size);
        }
      }
    }
  });
}

// Of an empty batch nothing is packed, though each matrix of it has elements.
TEST_F(PackedTest, ABatchOfNothingTouchesNothing) {
  for_each_device([&](Device& device) {
    if (!has_f16_matrices(device.caps())) return;
    DeviceExecutor executor(std::move(device));
    GemmProblem problem = parse_gemm_type("f16,f32");
    problem.batch = 0;
    const auto workload =
        make_product({gen::find_kernel("gemm/packed"), "", {}, {}}, problem, {17, 33, 20});
    const Plan plan = plan_on(executor, *workload);
    const auto execution = executor.prepare(plan);
    workload->fill(*execution, 1);
    execution->run();
    EXPECT_EQ(execution->damage(), "");
  });
}

}  // namespace
}  // namespace vkmoye::test
