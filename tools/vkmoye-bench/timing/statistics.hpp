// SPDX-License-Identifier: MIT
#pragma once
// The median and the noise of a sampled time.

#include <string>

#include "vkmoye/runtime/timing.hpp"

namespace vkmoye::bench {

/// The value below which `fraction` of the samples lie, interpolated. Precondition: not empty.
double quantile(const Timing& timing, double fraction);

/// How well the median is known: half of its 95 % confidence interval, as a percentage of it. Computed from
/// the ranks of the samples, whatever their distribution.
double noise_percent(const Timing& timing);

/// Says that the noise stayed above the percentage of --stop-noise: "3.1 % after 20 samples, ..".
std::string noise_text(const Timing& timing, double wanted);

}  // namespace vkmoye::bench
