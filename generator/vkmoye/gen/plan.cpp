// SPDX-License-Identifier: MIT
#include "vkmoye/gen/plan.hpp"

#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/compile.hpp"

namespace vkmoye::gen {

CompiledPlan compile(const KernelPlan& plan, const DeviceCaps& caps) {
  CompiledPlan out;
  out.name = plan.steps.at(plan.main).kernel.name;
  out.arrays = plan.arrays;
  out.scratch = plan.scratch;
  std::vector<std::string> reasons;
  for (const KernelStep& step : plan.steps) {
    try {
      out.steps.push_back({compile(step.kernel, caps), step.arguments, step.arrays});
    } catch (const KernelError& error) {
      reasons.emplace_back(error.what());
    }
  }
  if (!reasons.empty()) throw KernelError(out.name, std::move(reasons));
  return out;
}

}  // namespace vkmoye::gen
