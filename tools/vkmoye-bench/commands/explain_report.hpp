// SPDX-License-Identifier: MIT
#pragma once
// The report of `explain`: every access of a kernel, its cost and the reason; then the work of the problem, its
// shortest time on the device, and what the driver's compiler says.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "devices/driver_report.hpp"
#include "measure/ceilings.hpp"
#include "vkmoye/contract/json.hpp"
#include "vkmoye/gen/analysis/access_report.hpp"
#include "vkmoye/gen/verify/claims.hpp"

namespace vkmoye::bench {

struct DeviceFindings {
  double bytes = 0, flops = 0;  // see Workload
  std::optional<ShortestTime> shortest;
  std::string why_no_time;  // where there is no shortest time
  DriverReport driver;
};

enum class TextForm : std::uint8_t { terminal, markdown };
std::string text_of(const DeviceFindings& findings, TextForm form);
/// Adds the members "work", "shortest_time" and "driver".
void add_to(Json& report, const DeviceFindings& findings);

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
