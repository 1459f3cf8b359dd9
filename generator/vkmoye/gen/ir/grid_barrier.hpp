// SPDX-License-Identifier: MIT
#pragma once
// Kernels whose workgroups wait for each other: one launch in place of several that depend on each other.
//
//   GridLoop{{block_x, block_y, block_z}, {rows}, {..}}    each row: sums(row) = ..
//   GridBarrier{}
//   GridLoop{.., {columns}, {..}}                           each column reads all of sums
//
// Grid barriers divide the body of a kernel into phases. A phase means what a kernel of its own means: it is the launch
// of one workgroup for each of its blocks, or, without GridLoop, for each workgroup of the launch. The kernel computes
// what launches of its phases compute, in order. So only buffers outlive a phase. The verifier and the host twin follow
// the phases one by one.
//
// Workgroups wait actively, so all of them must run at once: KernelInterface::arrivals.

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen::ir {

/// The elements of the buffer Kernel::arrivals: the sum of arrivals, 0 before the first launch; and 1 if a workgroup
/// waited in vain.
inline constexpr std::int64_t kArrivals = 2;
/// That buffer, by the name that the kernel gives it.
Array arrivals_of(const Kernel& kernel);

/// Whether the kernel consists of phases.
bool has_phases(const Kernel& kernel);

/// Why the kernel is not a sequence of phases: a grid barrier or blocks inside another statement, blocks beside other
/// statements that access arrays, a launch whose workgroups are not a fixed number along x, an array of arrivals that
/// is missing or is accessed, or a result that nothing writes. Empty if it is.
std::vector<std::string> reasons_against_phases(const Kernel& kernel);

/// The phases as kernels, each with the buffers that it accesses. An array that holds nothing yet is an output of the
/// phase: it must write all of it, and may not read it. One that a phase only reads is an input, others are changed in
/// place. Precondition: reasons_against_phases(kernel) is empty.
std::vector<Kernel> phases_of(const Kernel& kernel);

}  // namespace vkmoye::gen::ir
