// SPDX-License-Identifier: MIT
#pragma once
// How samples of a time are taken, of kernels and of what they are compared with.
//
//   warm, as a rule    kernel kernel kernel ...                     what it reads may be in caches
//   cold               flush kernel flush kernel ...                nothing of it is there

#include <functional>
#include <optional>
#include <span>

#include "vkmoye/runtime/timing.hpp"

namespace vkmoye::bench {

struct TimingRules {
  TimeOptions times = {};
  /// Goes on until noise_percent is not above this, or times.max_seconds are spent.
  std::optional<double> stop_noise = {};
  bool cold = false;
};

/// The samples of `take`, again and again as the rules say; it warms up where its options say so.
Timing sample_until_quiet(const TimingRules& rules,
                          const std::function<Timing(const TimeOptions&)>& take);

/// Of launches one after the other, as vkmoye::measure.
Timing time_launches(Device& device, std::span<const Launch> launches, const TimingRules& rules);

/// Throws Unavailable where caches are to be cold: for what does not go through `time_launches`.
void require_warm(const TimingRules& rules);

}  // namespace vkmoye::bench
