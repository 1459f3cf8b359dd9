// SPDX-License-Identifier: MIT
#pragma once
// A plan: several kernels that run in order to compute one result, and the arrays they share. Plain data, like
// CompiledKernel.
//
//   a product whose k is cut into 8 slices:
//   arrays   0 A   1 B   2 C        the caller's
//   scratch  3 sums of slices
//   steps    gemm/simt (0, 1, 3), gemm/combine (3, 2)
//
//   a copy whose number of rows only the device knows:
//   arrays   0 src   1 dst   2 sizes   3 status
//   scratch  4 command   5 checked
//   steps    sizes/check (2, 4, 5, 3), copy/simple (0, 1, 5) with the groups in 4

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/contract/compiled_kernel.hpp"
#include "vkmoye/contract/device_caps.hpp"

namespace vkmoye {

/// An array that the steps of a plan read or write.
struct PlanArray {
  std::string name;
  std::uint64_t bytes = 0;  // the least size, from its first element on
};

/// One kernel of a plan, with its arguments and arrays.
template <class Kernel>
struct PlanStep {
  Kernel kernel;
  Arguments arguments;
  /// The number of the array of each binding; scratch arrays are counted after the others.
  std::vector<std::size_t> arrays;
  /// The number of the scratch array that an earlier step fills with the groups in x, y and z of this indirect step, a
  /// VkDispatchIndirectCommand; nullopt: the groups follow from `arguments`. For the sizes that an indirect step reads
  /// from a buffer, `arguments` contains the maxima, by which its arrays and limits are checked.
  std::optional<std::size_t> indirect = {};
};

/// The groups in x, y and z of an indirect step, each a u32.
inline constexpr std::uint64_t kCommandBytes = 3 * sizeof(std::uint32_t);

/// Steps run in order; each sees the writes of the steps before it. `Kernel` is the type of what a step runs: a
/// CompiledKernel here, the description of a kernel in the generator.
template <class Kernel>
struct PlanOf {
  std::vector<PlanArray> arrays;   // the caller's
  std::vector<PlanArray> scratch;  // its contents before and after a run do not matter
  std::vector<PlanStep<Kernel>> steps;

  /// The array with this number: those of the caller come first, then scratch.
  const PlanArray& array(std::size_t number) const {
    return number < arrays.size() ? arrays[number] : scratch.at(number - arrays.size());
  }
};

/// A step that runs a compiled kernel.
using CompiledStep = PlanStep<CompiledKernel>;

struct CompiledPlan : PlanOf<CompiledKernel> {
  std::string name;  // the kernel that does the work
};

/// The interfaces of its kernels, for required_for (runtime/requirements.hpp).
std::vector<const KernelInterface*> kernels_of(const CompiledPlan& plan);

/// The offset of each scratch array in the caller's scratch memory, and the total size. Each offset is a multiple
/// of the device's storage_buffer_alignment and of 16 bytes, the widest access.
/// Precondition: reasons_against(plan) is empty.
struct ScratchPlaces {
  std::vector<std::uint64_t> offsets;
  std::uint64_t bytes = 0;
};
/// Where the scratch arrays of `plan` lie on a device with these limits.
ScratchPlaces scratch_places(const CompiledPlan& plan, const DeviceCaps& caps);

/// Every reason why `plan` is invalid: a step uses an array number that does not exist, has too few or too many
/// arrays, or reads scratch that no earlier step wrote; an indirect step writes its own command, or its command is
/// not scratch, is too short, or is written by no earlier step; a specialised argument has no value; or scratch
/// exceeds 2^62 bytes. Empty if it is valid.
std::vector<std::string> reasons_against(const CompiledPlan& plan);

}  // namespace vkmoye
