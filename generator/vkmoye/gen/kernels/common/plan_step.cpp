// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/plan_step.hpp"

#include <algorithm>
#include <utility>

namespace vkmoye::gen {

KernelStep plan_step(ir::Kernel kernel, const std::vector<std::string>& names,
                     const Arguments& arguments) {
  const KernelInterface interface = ir::interface_of(kernel);
  KernelStep step{std::move(kernel), {}, {}};
  for (const Binding& binding : interface.bindings) {
    step.arrays.push_back(static_cast<std::size_t>(
        std::find(names.begin(), names.end(), binding.name) - names.begin()));
  }
  for (const PushConstant& constant : interface.push_constants) {
    const auto argument = arguments.find(constant.name);
    if (argument != arguments.end()) step.arguments.insert(*argument);
  }
  return step;
}

}  // namespace vkmoye::gen
