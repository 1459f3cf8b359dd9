// SPDX-License-Identifier: MIT
#pragma once
// The fastest copy of vkmoye as a baseline.

#include <cstdint>

#include "baselines/baseline_run.hpp"
#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/runtime/guarded_buffer.hpp"

namespace vkmoye::bench {

/// Times copying `elements` elements of `type` from `src` to `dst`.
Timing time_copy(Device& device, const GuardedBuffer& src, const GuardedBuffer& dst,
                 ScalarType type, std::uint64_t elements, const TimingRules& rules);

/// Times the copy between two buffers of its own, with `bytes` read and written in total: for operations whose
/// arrays have different sizes. Throws DeviceError.
Timing time_copy_of(std::uint64_t bytes, const BaselineRun& run);

/// Times a copy between two arrays that are larger than any cache, or as large as the device allows, after checking
/// parts of its result. Throws WrongResult, Unavailable, DeviceError.
TimedWork time_copy_of_memory(Device& device, const TimingRules& rules, std::uint64_t seed);

}  // namespace vkmoye::bench
