// SPDX-License-Identifier: MIT
#pragma once
// A plan whose kernels are described but not compiled; compile.hpp turns it into a CompiledPlan.

#include <cstddef>

#include "vkmoye/contract/compiled_plan.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

using KernelStep = PlanStep<ir::Kernel>;

struct KernelPlan : PlanOf<ir::Kernel> {
  std::size_t main = 0;  // the step that does most of the work
};

}  // namespace vkmoye::gen
