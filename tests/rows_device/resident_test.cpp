// SPDX-License-Identifier: MIT
// Plans of several launches as one, whose workgroups wait for each other: the same bits, except where the compiler of a
// GPU may fuse the same multiplications and additions in another way.

#include "vkmoye/gen/passes/resident.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "devices/device_executor.hpp"
#include "devices/host_executor.hpp"
#include "registry/operations.hpp"
#include "support/effort.hpp"
#include "support/expect.hpp"
#include "support/kernel_on_twin.hpp"
#include "support/number_in.hpp"
#include "support/resident_fixture.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/option_values.hpp"
#include "vkmoye/contract/plan_file.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/runtime/plan_recorder.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::test {
namespace {

using namespace bench;

// A kernel that takes several launches, with the largest sizes that are drawn.
struct Subject {
  const char* kernel;
  std::vector<const char*> types;
  gen::Options config, values;
  std::vector<std::int64_t> largest;
  bool may_round = false;  // differently: the device may fuse its products and sums
};
const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all = {
      {"attention/decode", {"f16", "f32"}, {{"slices", "3"}}, {}, {8, 700, 64}},
      {"gemm/simt", {"f32", "f16"}, {}, {{"split-k", "3"}}, {70, 90, 500}},
      {"softmax/rows", {"f32", "f16"}, {}, {}, {3, 40000}},
      {"argmax/rows", {"f32", "e4m3"}, {}, {}, {3, 60000}},
      {"topk/rows", {"f32", "f16"}, {}, {}, {2, 40000}},
      {"norm/rms", {"f16"}, {}, {}, {2, 40000}, /*may_round=*/true},
      {"norm/layer", {"f32"}, {}, {}, {2, 40000}, /*may_round=*/true},
      {"reduce/sum", {"f32", "f16"}, {}, {}, {3, 60000}}};
  return all;
}

struct Draw {
  Subject subject;
  std::string type;
  Extents size;
  std::uint64_t seed;
};

std::string text_of(const Draw& draw) {
  return fmt::format("{} {} {} seed {}", draw.subject.kernel, draw.type, size_text(draw.size),
                     draw.seed);
}

Draw draw(std::uint64_t number) {
  std::mt19937_64 random(number);
  const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  const Subject& subject = subjects()[number % subjects().size()];
  Draw out{subject, subject.types[below(subject.types.size())], {}, random()};
  for (const std::int64_t most : subject.largest) {
    const auto one = static_cast<std::int64_t>(below(static_cast<std::size_t>(most))) + 1;
    out.size.push_back(most == 64 ? 64 : below(4) == 0 ? std::min<std::int64_t>(one, 3) : one);
  }
  // Long rows, or there are no slices.
  if (subject.largest.back() >= 40000) out.size.back() += 30000;
  return out;
}

std::vector<std::byte> result_of(Executor& executor, const Workload& workload, const RunPlan& plan,
                                 std::uint64_t seed) {
  const auto execution = executor.prepare(plan);
  workload.problem->fill(*execution, seed);
  execution->run();
  EXPECT_EQ(execution->damage(), "");
  std::vector<std::byte> bytes(plan.arrays[plan.result].bytes);
  execution->read(plan.result, bytes, /*offset=*/0);
  return bytes;
}

class ResidentTest : public ResidentDeviceTest {};

// The number of plans that were made resident.
std::size_t compare(Executor& executor, const Draw& draw, std::uint32_t groups) {
  SCOPED_TRACE(text_of(draw));
  const Workload workload = workload_of(
      {gen::find_kernel(draw.subject.kernel), draw.type, draw.subject.config, draw.subject.values},
      draw.size);
  const RunPlan several = plan_on(executor, workload);
  if (several.steps.size() < 2) return 0;
  RunPlan one = several;
  make_resident(one, std::to_string(groups), executor.caps());
  EXPECT_EQ(one.steps.size(), 1u);
  const auto as_one = result_of(executor, workload, one, draw.seed);
  const auto apart = result_of(executor, workload, several, draw.seed);
  if (!draw.subject.may_round || executor.caps().kind == DeviceKind::cpu) {
    EXPECT_TRUE(as_one == apart);
    return 1;
  }
  const ScalarType type = parse_type(draw.type);
  const float unit = type == ScalarType::f16 ? 0x1p-10f : 0x1p-23f;
  const std::vector<float> a = numbers_in(type, as_one), b = numbers_in(type, apart);
  // In norm/layer, an element is a difference: the rounding of its terms does not shrink with it.
  float terms = 0;
  for (const float number :
       draw.subject.kernel == std::string("norm/layer") ? b : std::vector<float>()) {
    terms = std::max(terms, std::abs(number));
  }
  EXPECT_TRUE(std::isfinite(terms));
  std::size_t different = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    different += !(std::abs(a[i] - b[i]) <= unit * (2 * std::abs(b[i]) + terms));
  }
  EXPECT_EQ(different, 0u) << "of " << b.size() << " elements";
  return 1;
}

TEST_F(ResidentTest, PlansHaveTheBitsOfTheirLaunchesOnEachDevice) {
  for_each_resident(kGroups, [&](Device& device) {
    DeviceExecutor executor(std::move(device));
    std::size_t compared = 0;
    const auto count = static_cast<std::uint64_t>(number_in("VKMOYE_PLANS").value_or(often(64, 8)));
    const auto first = static_cast<std::uint64_t>(number_in("VKMOYE_SEED").value_or(0));
    for (std::uint64_t number = first; number < first + count; ++number)
      compared += compare(executor, draw(number), kGroups);
    std::printf("%zu plans of %zu compared\n", compared, static_cast<std::size_t>(count));
    EXPECT_GT(compared, count / 2);
  });
}

TEST_F(ResidentTest, PlansHaveTheBitsOfTheirLaunchesOnTheTwin) {
  HostExecutor host;
  for (std::uint64_t number = 0; number < subjects().size(); ++number) {
    Draw small = draw(number);
    if (small.subject.largest.back() >= 40000) small.size = {1, 30000};
    compare(host, small, kGroups);
  }
}

TEST_F(ResidentTest, PlansAreRecordedAndTheirArrivalsChecked) {
  for_each_resident(kGroups, [&](Device& device) {
    const Workload workload =
        workload_of({gen::find_kernel("gemm/simt"), "f32", {}, {{"split-k", "3"}}}, {33, 40, 200});
    const gen::KernelPlan plan =
        gen::plan_of(*workload.entry, workload.request(device.caps()), *workload.problem, {});
    CompiledPlan compiled = gen::compile(gen::resident(plan, device.caps(), 2), device.caps());
    ASSERT_EQ(compiled.steps.size(), 1u);
    const CompiledPlan read_back = parse_plan(plan_text(compiled));
    EXPECT_EQ(plan_text(read_back), plan_text(compiled));
    EXPECT_THAT(plan_text(compiled), HasSubstr("\"version\": 4"));
    PlanRecorder recorder(device, read_back);
    EXPECT_NO_THROW(recorder.require_arrivals());
  });
}

TEST(Resident, PlansOfOneLaunchAreRefused) {
  const Workload workload = workload_of({gen::find_kernel("copy/simple"), "f32", {}, {}}, {33, 65});
  HostExecutor host;
  RunPlan plan = plan_on(host, workload);
  EXPECT_REFUSED(make_resident(plan, "4", host.caps()), KernelError,
                 "there is nothing to wait for");
  EXPECT_REFUSED(make_resident(plan, "many", host.caps()), ArgumentError, "--resident many");
  EXPECT_REFUSED(make_resident(plan, "yes", common_device()), KernelError, "is not known");
  EXPECT_NO_THROW(make_resident(plan, "no", common_device()));
}

}  // namespace
}  // namespace vkmoye::test
