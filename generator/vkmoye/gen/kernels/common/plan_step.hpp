// SPDX-License-Identifier: MIT
#pragma once
// A kernel as a step of a plan whose arrays and arguments have names.

#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel_plan.hpp"

namespace vkmoye::gen {

/// The step that runs `kernel`: each binding is the array of its name among `names`, the arrays of the plan, scratch
/// arrays last; it takes the `arguments` that the kernel declares. Precondition: `names` contains each binding.
KernelStep plan_step(ir::Kernel kernel, const std::vector<std::string>& names,
                     const Arguments& arguments);

}  // namespace vkmoye::gen
