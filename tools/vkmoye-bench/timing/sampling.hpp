// SPDX-License-Identifier: MIT
#pragma once
// Samples of code that does not use Vulkan, by the same rules as vkmoye::measure.

#include <cstdint>
#include <functional>

#include "vkmoye/runtime/timing.hpp"

namespace vkmoye::bench {

/// Warms up, then samples, according to `options`. `run(n)` does the work n times in a row and returns the
/// microseconds of one.
Timing sample(const TimeOptions& options, Clock clock,
              const std::function<std::vector<double>(std::uint32_t count)>& run);

}  // namespace vkmoye::bench
