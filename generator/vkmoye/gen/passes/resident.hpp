// SPDX-License-Identifier: MIT
#pragma once
// A plan of several launches as one launch, whose workgroups wait for each other between the steps.
//
//   attention of one query       attention/decode    2048 workgroups of 128 threads, each a slice of the keys
//                                attention/combine     32 workgroups of 128 threads, each a head
//
//   resident(plan, 132)          for (block = this workgroup; block < 2048; block += 132) { .. }
//                                grid_barrier();
//                                for (block = this workgroup; block < 32; block += 132) { .. }
//
// Arrays between steps stay buffers. Shared arrays of different steps that have one type share their memory. Steps of
// fewer threads than others run in all threads of a workgroup, of which only the first ones store.

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel_plan.hpp"

namespace vkmoye::gen {

/// Why the steps of `plan`, after those that run beforehand, cannot be one kernel: fewer than two steps; an indirect
/// step, a shader written by hand, sizes from a buffer, specialisation constants, arrays reached by pointers; subgroups
/// of different sizes; threads that do not divide the largest number of them; fewer threads with atomic operations;
/// an array that steps see with different types, or with axes of which some are not compact. Empty if they can.
std::vector<std::string> reasons_against_resident(const KernelPlan& plan);

/// `plan` with these steps as one, of `groups` workgroups of `device`, for the sizes of the plan. Scratch has one more
/// array, of arrivals; see KernelInterface::arrivals. `compile` verifies it. Throws KernelError with the reasons of
/// reasons_against_resident.
KernelPlan resident(const KernelPlan& plan, const DeviceCaps& device, std::int64_t groups);

}  // namespace vkmoye::gen
