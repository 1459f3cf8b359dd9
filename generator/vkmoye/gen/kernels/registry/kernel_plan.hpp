// SPDX-License-Identifier: MIT
#pragma once
// Several kernels that compute one thing, described: compile.hpp makes a CompiledPlan of them.

#include <cstddef>

#include "vkmoye/contract/compiled_plan.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

using KernelStep = PlanStep<ir::Kernel>;

struct KernelPlan : PlanOf<ir::Kernel> {
  std::size_t main = 0;  // the step that does the work
};

}  // namespace vkmoye::gen
