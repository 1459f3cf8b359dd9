// SPDX-License-Identifier: MIT
#pragma once
// Several kernels that compute one thing, described: what CompiledPlan is once they are compiled.

#include <cstddef>
#include <vector>

#include "vkmoye/contract/compiled_plan.hpp"
#include "vkmoye/contract/device_caps.hpp"
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

/// Throws KernelError with every reason of every kernel, as of one; CompileError.
CompiledPlan compile(const KernelPlan& plan, const DeviceCaps& caps);

}  // namespace vkmoye::gen
