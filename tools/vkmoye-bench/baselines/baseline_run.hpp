// SPDX-License-Identifier: MIT
#pragma once
// What a baseline needs to be timed beside a kernel.

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

}  // namespace vkmoye::bench
