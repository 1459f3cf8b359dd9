// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/kernel_plan.hpp"

namespace vkmoye::gen {

void append(KernelPlan& to, const KernelPlan& plan, std::span<const std::size_t> arrays) {
  const std::size_t first_scratch = to.arrays.size() + to.scratch.size();
  const auto number = [&](std::size_t of_plan) {
    const std::size_t given = plan.arrays.size();
    return of_plan < given ? arrays[of_plan] : first_scratch + of_plan - given;
  };
  to.scratch.insert(to.scratch.end(), plan.scratch.begin(), plan.scratch.end());
  for (KernelStep step : plan.steps) {
    for (std::size_t& array : step.arrays) array = number(array);
    if (step.indirect) step.indirect = number(*step.indirect);
    to.steps.push_back(std::move(step));
  }
}

}  // namespace vkmoye::gen
