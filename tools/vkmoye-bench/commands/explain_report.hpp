// SPDX-License-Identifier: MIT
#pragma once
// What `explain` prints: every access of a kernel, what it costs and why.

#include <string>
#include <vector>

#include "vkmoye/gen/analysis/access_report.hpp"

namespace vkmoye::bench {

/// `report` of `kernel` as analysed with `model`. `format`: table, json or markdown. `choice`: why it is
/// this kernel, a line each, where it was chosen.
/// Throws ArgumentError for any other.
std::string explain_text(const gen::ir::Kernel& kernel, const gen::AccessModel& model,
                         const gen::KernelReport& report, const std::string& format,
                         const std::vector<std::string>& choice = {});

}  // namespace vkmoye::bench
