// SPDX-License-Identifier: MIT
#pragma once
// Several kernels that compute one thing, described: compile.hpp makes a CompiledPlan of them.

#include <cstddef>
#include <vector>

#include "vkmoye/contract/compiled_plan.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

struct KernelStep {
  ir::Kernel kernel;
  Arguments arguments;
  std::vector<std::size_t> arrays;  // as CompiledStep has them
};

struct KernelPlan {
  std::vector<PlanArray> arrays, scratch;
  std::vector<KernelStep> steps;
  std::size_t main = 0;  // the step that does the work
};

}  // namespace vkmoye::gen
