// SPDX-License-Identifier: MIT
#include "workloads/workload.hpp"

#include "devices/fragments.hpp"

namespace vkmoye::bench {

const char* to_string(Verify verify) {
  return verify == Verify::full ? "full" : verify == Verify::sample ? "sample" : "off";
}

RunPlan Workload::plan(const DeviceCaps& caps) const {
  RunPlan plan{arrays(), {step(caps)}};
  plan.result = plan.arrays.size() - 1;
  plan.steps.front().arrays = bindings();
  return plan;
}

RunPlan Workload::plan_over_arrays(gen::KernelPlan kernels) const {
  RunPlan plan = plan_of(std::move(kernels));
  const std::vector<Array> all = arrays();
  for (std::size_t i = 0; i < all.size(); ++i) plan.arrays[i].input = all[i].input;
  plan.result = all.size() - 1;
  return plan;
}

RunPlan plan_on(Executor& executor, const Workload& workload) {
  if (auto plan = workload.plan_chosen_on(executor)) return *std::move(plan);
  find_fragment_orders(executor, workload.probes(executor.caps()), workload.entry().name);
  return workload.plan(executor.caps());
}

}  // namespace vkmoye::bench
