// SPDX-License-Identifier: MIT
#pragma once
// A kernel that finds out whether a device runs a number of workgroups at once, before kernels rely on it.
//
//   resident_trial(h200, 132)     132 workgroups of 1024 threads and 48 KiB of shared memory, the most that a workgroup
//                                 may have: each writes, waits for the others, and reads what another one wrote
//
// If they do not run at once, the launch ends after some seconds, like every launch whose workgroups wait for each
// other, see KernelInterface::arrivals. Up to the number of multiprocessors, workgroups of any kernel then run at once,
// because each multiprocessor holds one. Above it, that also depends on the registers of the kernel.

#include <cstdint>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/ir/kernel_plan.hpp"

namespace vkmoye::gen {

/// A plan of one launch. Array 0 is its result: numbers of u32, as many as all workgroups have threads, from the last
/// one down to 0. The others are scratch. Preconditions: groups > 0, and the device has Feature::grid_barrier.
KernelPlan resident_trial(const DeviceCaps& device, std::int64_t groups);

}  // namespace vkmoye::gen
