// SPDX-License-Identifier: MIT
#pragma once
// What a baseline needs to be timed beside a kernel, and what it returns.

#include <cstdint>

#include "devices/execution.hpp"
#include "timing/rules.hpp"

namespace vkmoye::bench {

class DeviceExecution;

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

}  // namespace vkmoye::bench
