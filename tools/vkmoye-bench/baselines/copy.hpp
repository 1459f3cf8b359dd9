// SPDX-License-Identifier: MIT
#pragma once
// What a baseline needs to be timed beside a kernel, and what it returns; the fastest copy of vkmoye as a baseline.

#include <cstdint>

#include "devices/execution.hpp"
#include "timing/sampling.hpp"
#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/runtime/guarded_buffer.hpp"

namespace vkmoye::bench {

/// The environment of a baseline, which is timed after the kernel, on its buffers or on the same data.
struct BaselineRun {
  DeviceExecution& execution;
  const Step& step;  // the kernel itself
  TimingRules rules;
  std::uint64_t seed;
};

/// The times of launches, and the work of one launch: bytes, or operations.
struct TimedWork {
  Timing timing;
  double work = 0;
};

/// A kernel that was to be timed did not compute what its definition says.
struct WrongResult : Unavailable {
  using Unavailable::Unavailable;
};

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
