// SPDX-License-Identifier: MIT
#pragma once
// The end of the report of `explain`: the work of the problem, its shortest time on the device, and what the driver's
// compiler says.

#include <cstdint>
#include <optional>
#include <string>

#include "devices/driver_report.hpp"
#include "measure/kept_ceilings.hpp"
#include "measure/shortest_time.hpp"
#include "vkmoye/contract/json.hpp"

namespace vkmoye::bench {

struct DeviceFindings {
  double bytes = 0, flops = 0;  // see Workload
  std::optional<ShortestTime> shortest;
  std::string why_no_time;  // where there is no shortest time
  DriverReport driver;
};

/// Findings from the ceilings of `device`, kept from an earlier run, for a problem of `bytes` and `flops`. `selector`:
/// the device as typed; `is_real`: it is a device of this machine.
DeviceFindings findings_on(const DeviceCaps& device, const std::string& selector, bool is_real,
                           const gen::ir::Kernel& kernel, double bytes, double flops);

enum class TextForm : std::uint8_t { terminal, markdown };
std::string text_of(const DeviceFindings& findings, TextForm form);
/// Adds the members "work", "shortest_time" and "driver".
void add_to(Json& report, const DeviceFindings& findings);

}  // namespace vkmoye::bench
