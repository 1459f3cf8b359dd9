// SPDX-License-Identifier: MIT
#include "gemm_device/products.hpp"

#include <optional>
#include <utility>

#include "devices/device_executor.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::test {

using namespace bench;

gen::KernelEntry describes_once(const gen::KernelEntry& entry) {
  gen::KernelEntry out = entry;
  const auto kept = std::make_shared<std::optional<gen::ir::Kernel>>();
  out.describe = [kept, describe = entry.describe](const gen::KernelRequest& request) {
    if (!*kept) *kept = describe(request);
    return **kept;
  };
  return out;
}

std::vector<std::string> Products::reasons_against(const RunPlan& plan) const {
  return bench::reasons_against(caps(), plan);
}

std::unique_ptr<Execution> Products::prepare(const RunPlan& plan) {
  std::vector<Pipeline> kernels;
  for (const Step& step : plan.steps) {
    const std::string text = gen::glsl::print(step.kernel);
    auto found = pipelines_.find(text);
    if (found == pipelines_.end()) {
      found = pipelines_.emplace(text, device_.load(gen::compile(step.kernel))).first;
    }
    kernels.push_back(found->second);
  }
  return std::make_unique<DeviceExecution>(device_, plan, std::move(kernels));
}

std::string Products::wrong(const Problem& problem, std::uint64_t seed) {
  const auto workload = problem.workload();
  const RunPlan plan = plan_on(*this, workload);
  const auto reasons = reasons_against(plan);
  if (!reasons.empty()) throw Unavailable(join(reasons, "; "));
  const auto execution = prepare(plan);
  workload.problem->fill(*execution, seed);
  execution->run();
  const gen::Verify verify =
      workload.problem->seconds_to_check <= 1 ? gen::Verify::full : gen::Verify::sample;
  const gen::CheckResult checked = workload.problem->check(*execution, verify, seed);
  std::string text = checked.first + execution->damage();
  if (checked.mismatches > 0) text = std::to_string(checked.mismatches) + " mismatches: " + text;
  return text;
}

}  // namespace vkmoye::test
