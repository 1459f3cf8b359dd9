// SPDX-License-Identifier: MIT
#pragma once
// Times launches on a device, with warm or cold caches.

#include <span>

#include "timing/sampling.hpp"

namespace vkmoye::bench {

/// Times the launches in order, like vkmoye::measure.
Timing time_launches(Device& device, std::span<const Launch> launches, const TimingRules& rules);

/// Throws Unavailable if the rules require cold caches: for baselines that do not use `time_launches`.
void require_warm(const TimingRules& rules);

}  // namespace vkmoye::bench
