// SPDX-License-Identifier: MIT
#pragma once
// The rules for sampling times, for kernels and baselines.
//
//   warm (default)     kernel kernel kernel ...                     its arrays may be in caches
//   cold               flush kernel flush kernel ...                its arrays are in no cache

#include <functional>
#include <optional>

#include "vkmoye/runtime/timing.hpp"

namespace vkmoye::bench {

struct TimingRules {
  TimeOptions times = {};
  /// Sample until noise_percent is at most this, or until times.max_seconds have passed.
  std::optional<double> stop_noise = {};
  bool cold = false;
};

/// Calls `take` until the rules are satisfied and returns all samples; `take` warms up if its options say so.
Timing sample_until_quiet(const TimingRules& rules,
                          const std::function<Timing(const TimeOptions&)>& take);

}  // namespace vkmoye::bench
