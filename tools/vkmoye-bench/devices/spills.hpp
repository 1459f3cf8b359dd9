// SPDX-License-Identifier: MIT
#pragma once
// Register spills reported by the driver's compiler.

#include <string>

#include "vkmoye/runtime/pipeline_statistics.hpp"

namespace vkmoye::bench {

/// "Spilled VGPRs 109", with the driver's name of the statistic; empty: no spills, or the driver does not report
/// them.
std::string spilled(const PipelineExecutable& executable);

/// Whether the driver reports spills.
bool counts_spills(const PipelineExecutable& executable);

}  // namespace vkmoye::bench
