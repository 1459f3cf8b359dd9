// SPDX-License-Identifier: MIT
#pragma once
// The report of `explain`: every access of a kernel, its cost and the reason.

#include <string>
#include <vector>

#include "commands/explain_device.hpp"
#include "vkmoye/gen/analysis/access_report.hpp"
#include "vkmoye/gen/verify/claims.hpp"

namespace vkmoye::bench {

/// A kernel and its analysis.
struct Explained {
  const gen::ir::Kernel& kernel;
  const gen::AccessModel& model;
  gen::KernelReport report;  // by `model`
  std::vector<std::string>
      choice;  // why the kernel was chosen, one reason per line; empty: it was not
  std::vector<gen::Claim> claims;  // see claims.hpp; empty: they are not listed
  DeviceFindings device;           // the end of the report
};

/// `format`: table, json or markdown.
std::string explain_text(const Explained& subject, const std::string& format);

}  // namespace vkmoye::bench
