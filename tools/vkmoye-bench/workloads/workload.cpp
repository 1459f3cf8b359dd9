// SPDX-License-Identifier: MIT
#include "workloads/workload.hpp"

#include "devices/fragments.hpp"

namespace vkmoye::bench {

const char* to_string(Verify verify) {
  return verify == Verify::full ? "full" : verify == Verify::sample ? "sample" : "off";
}

Plan Workload::plan(const DeviceCaps& caps) const {
  Plan plan{arrays(), {step(caps)}};
  plan.result = plan.arrays.size() - 1;
  plan.steps.front().arrays = bindings();
  return plan;
}

Plan plan_on(Executor& executor, const Workload& workload) {
  if (auto plan = workload.plan_chosen_on(executor)) return *std::move(plan);
  find_fragment_orders(executor, workload.probes(executor.caps()), workload.entry().name);
  return workload.plan(executor.caps());
}

}  // namespace vkmoye::bench
