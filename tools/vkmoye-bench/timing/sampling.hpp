// SPDX-License-Identifier: MIT
#pragma once
// Samples of the times of kernels and baselines, their median and its noise.
//
//   warm (default)     kernel kernel kernel ...                     its arrays may be in caches
//   cold               flush kernel flush kernel ...                its arrays are in no cache

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "vkmoye/runtime/timing.hpp"

namespace vkmoye::bench {

/// Times code that does not use Vulkan, by the rules of vkmoye::measure: warms up, then samples, according to
/// `options`. `run(n)` does the work n times in a row and returns the microseconds of one.
Timing sample(const TimeOptions& options, Clock clock,
              const std::function<std::vector<double>(std::uint32_t count)>& run);

struct TimingRules {
  TimeOptions times = {};
  /// Sample until noise_percent is at most this, or until times.max_seconds have passed.
  std::optional<double> stop_noise = {};
  bool cold = false;
};

/// Calls `take` until the rules are satisfied and returns all samples; `take` warms up if its options say so.
Timing sample_until_quiet(const TimingRules& rules,
                          const std::function<Timing(const TimeOptions&)>& take);

/// The value below which `fraction` of the samples lie, interpolated. Precondition: not empty.
double quantile(const Timing& timing, double fraction);

/// How well the median is known: half of its 95 % confidence interval, as a percentage of it. Computed from
/// the ranks of the samples, whatever their distribution.
double noise_percent(const Timing& timing);

/// Says that the noise stayed above the percentage of --stop-noise: "3.1 % after 20 samples, ..".
std::string noise_text(const Timing& timing, double wanted);

}  // namespace vkmoye::bench
