// SPDX-License-Identifier: MIT
#pragma once
// What a driver's compiler had no registers for.

#include <string>

#include "vkmoye/runtime/pipeline_statistics.hpp"

namespace vkmoye::bench {

/// "Spilled VGPRs 109": in the driver's words; empty: nothing was spilled, or the driver does not say.
std::string spilled(const PipelineExecutable& executable);

}  // namespace vkmoye::bench
