// SPDX-License-Identifier: MIT
#pragma once
// The report of `explain`: every access of a kernel, its cost and the reason.

#include <string>
#include <vector>

#include "commands/explain_device.hpp"
#include "vkmoye/gen/analysis/access_report.hpp"
#include "vkmoye/gen/verify/claims.hpp"

namespace vkmoye::bench {

/// Formats `report`, the analysis of `kernel` with `model`. `format`: table, json or markdown; throws
/// ArgumentError for any other. `choice`: why the kernel was chosen, one reason per line; empty if it was not.
/// `claims`: see claims.hpp; empty: they are not listed. `device`: the end of the report.
std::string explain_text(const gen::ir::Kernel& kernel, const gen::AccessModel& model,
                         const gen::KernelReport& report, const std::string& format,
                         const std::vector<std::string>& choice,
                         const std::vector<gen::Claim>& claims, const DeviceFindings& device);

}  // namespace vkmoye::bench
