// SPDX-License-Identifier: MIT
#pragma once
// Prints a measurement as the command that repeats it.

#include <string>

#include "measure/measure.hpp"

namespace vkmoye::bench {

/// The command that repeats the measurement of `workload`.
std::string repeat_command(const DeviceCaps& device, const Workload& workload,
                           const MeasureOptions& options);

}  // namespace vkmoye::bench
