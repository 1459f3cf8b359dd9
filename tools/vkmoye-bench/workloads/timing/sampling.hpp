// SPDX-License-Identifier: MIT
#pragma once
// Samples of what does not run through Vulkan, by the same rules as vkmoye::measure.

#include <cstdint>
#include <functional>

#include "vkmoye/runtime/timing.hpp"

namespace vkmoye::bench {

/// `run(n)` does the work n times in a row and returns the microseconds of each. Warms up, then
/// samples, as `options` say.
Timing sample(const TimeOptions& options, Clock clock,
              const std::function<std::vector<double>(std::uint32_t count)>& run);

}  // namespace vkmoye::bench
