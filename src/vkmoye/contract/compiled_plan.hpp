// SPDX-License-Identifier: MIT
#pragma once
// Several kernels that compute one thing, as the generator hands them to a runtime. Plain data, as
// CompiledKernel.
//
//   a product whose k is cut into 8 slices:
//   arrays   0 A   1 B   2 C        the caller's
//   scratch  3 sums of slices
//   steps    gemm/simt (0, 1, 3), gemm/combine (3, 2)

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/contract/compiled_kernel.hpp"
#include "vkmoye/contract/device_caps.hpp"

namespace vkmoye {

/// What the steps of a plan read and write.
struct PlanArray {
  std::string name;
  std::uint64_t bytes = 0;  // at least, from its first element on
};

/// A kernel, and what it is given.
template <class Kernel>
struct PlanStep {
  Kernel kernel;
  Arguments arguments;
  /// Of each binding, the number of its array; scratch arrays are counted after the others.
  std::vector<std::size_t> arrays;
};

/// Steps one after the other; each sees what those before it wrote. `Kernel` is what a step runs: a CompiledKernel
/// here, the description of a kernel in the generator.
template <class Kernel>
struct PlanOf {
  std::string name;                // of the kernel that does the work
  std::vector<PlanArray> arrays;   // the caller's
  std::vector<PlanArray> scratch;  // what stands there before and afterwards does not matter
  std::vector<PlanStep<Kernel>> steps;

  const PlanArray& array(std::size_t number) const {
    return number < arrays.size() ? arrays[number] : scratch.at(number - arrays.size());
  }
};

using CompiledStep = PlanStep<CompiledKernel>;
using CompiledPlan = PlanOf<CompiledKernel>;

/// The interfaces of its kernels, for required_for (runtime/requirements.hpp).
std::vector<const KernelInterface*> kernels_of(const CompiledPlan& plan);

/// Where each scratch array begins in the caller's scratch memory, and how much that is in all: each at a
/// multiple of what the device asks of an offset, and of 16 bytes, which no access is wider than.
/// Precondition: nothing is against the plan.
struct ScratchPlaces {
  std::vector<std::uint64_t> offsets;
  std::uint64_t bytes = 0;
};
ScratchPlaces scratch_places(const CompiledPlan& plan, const DeviceCaps& caps);

/// Every reason why `plan` is none: an array that is not there, a step with too few or too many of them,
/// scratch that is read before a step wrote it, scratch of more than 2^62 bytes. Empty: fine.
std::vector<std::string> reasons_against(const CompiledPlan& plan);

}  // namespace vkmoye
