// SPDX-License-Identifier: MIT
// The SPIR-V interpreter on kernels whose workgroups wait for each other: plans as one launch have the results of the
// twin; a phase without a barrier before it, and a workgroup that does not come, are faults.

#include <string>

#include "judge/judged_kernel.hpp"
#include "judge/two_judges.hpp"
#include "judge/unverified.hpp"
#include "support/expect.hpp"
#include "support/fake_devices.hpp"
#include "support/phases.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/passes/resident.hpp"
#include "vkmoye/gen/spirv/assemble.hpp"

namespace vkmoye::judge {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// One launch of `compiled` on random data, its arrivals 0.
spirv::Report judged(const gen::ir::Kernel& kernel, const CompiledKernel& compiled,
                     const Arguments& arguments) {
  Draw draw(1);
  Buffers buffers = data_for(kernel, arguments, /*computes=*/true, draw);
  return spirv::launch(compiled, buffers, arguments);
}

TEST(SpirvGrid, PhasesOfPlansHaveTheTwinsResults) {
  struct Plan {
    const char* kernel;
    gen::Options options;
    std::vector<std::int64_t> shape;
  };
  const gen::Options few = {{"threads", "64"}};
  for (const Plan& one : {Plan{"reduce/sum", few, {2, 30000}},
                          {"softmax/rows", few, {1, 40000}},
                          {"argmax/rows", few, {2, 30000}},
                          {"topk/rows", {{"threads", "64"}, {"k", "3"}}, {1, 30000}}}) {
    gen::KernelRequest request = gen::request_of(ScalarType::f32, one.options);
    request.device = test::fake_device("waits", 49152, 1024, 32, test::all_features());
    request.elements() = gen::ElementsForm(ScalarType::f32, one.shape);
    const gen::KernelPlan plan = gen::resident(gen::find_kernel(one.kernel)->in_slices(request),
                                               request.device, /*groups=*/3);
    const gen::KernelStep& step = plan.steps.front();
    Draw draw(1);
    const Both both = judge_both(step.kernel, compile_unverified(step.kernel), step.arguments,
                                 data_for(step.kernel, step.arguments, /*computes=*/true, draw));
    EXPECT_EQ(both.judge.unsupported, "") << one.kernel;
    EXPECT_TRUE(both.judge.finished) << one.kernel;
    EXPECT_EQ(reasons_against(both), "") << one.kernel;
  }
}

TEST(SpirvGrid, APhaseReadsWhatTheOneBeforeWrote) {
  const gen::ir::Kernel kernel = test::doubled_and_reversed(3);
  const Arguments arguments = {{"n", 300}};
  EXPECT_THAT(judged(kernel, compile_unverified(kernel), arguments).faults, IsEmpty());
  gen::ir::Kernel without = kernel;
  std::erase_if(without.body, [](const gen::ir::Stmt& statement) {
    return std::holds_alternative<gen::ir::GridBarrier>(statement.value);
  });
  const auto report = judged(without, compile_unverified(without), arguments);
  ASSERT_FALSE(report.faults.empty());
  EXPECT_EQ(report.faults.front().kind, spirv::Faults::Kind::race);
}

TEST(SpirvGrid, AWorkgroupThatDoesNotComeIsAFault) {
  const gen::ir::Kernel kernel = test::doubled_and_reversed(3);
  CompiledKernel compiled = compile_unverified(kernel);
  const std::string call = "  grid_barrier();";
  const std::size_t at = compiled.glsl.find(call);
  ASSERT_NE(at, std::string::npos);
  compiled.glsl.insert(at, "  if (gl_WorkGroupID.x != 1u)");
  compiled.spirv = gen::spirv::assemble(kernel.name, compiled.glsl);
  EXPECT_THAT(judged(kernel, compiled, {{"n", 300}}).faults,
              Contains(Field(&spirv::Faults::Fault::text,
                             HasSubstr("2 of 3 workgroups wait for others that do not come"))));
}

}  // namespace
}  // namespace vkmoye::judge
