// SPDX-License-Identifier: MIT
#pragma once
// The formats of a report, and what several of them say of a row in the same words.

#include <iosfwd>
#include <memory>
#include <string>

#include "report/report.hpp"

namespace vkmoye::bench {

std::unique_ptr<Report> make_table_report(std::ostream& out, const DeviceCaps& device,
                                          const TableStyle& style);
std::unique_ptr<Report> make_markdown_report(std::ostream& out, const DeviceCaps& device);
std::unique_ptr<Report> make_csv_report(std::ostream& out, const DeviceCaps& device);
std::unique_ptr<Report> make_json_report(std::ostream& out, const DeviceCaps& device);
std::unique_ptr<Report> make_junit_report(std::ostream& out, const DeviceCaps& device);

/// "NVIDIA H200 (discrete, 580.159, Vulkan 1.4.312)".
std::string device_text(const DeviceCaps& device);

/// What every report in words says of a CPU; empty: the device is none.
std::string caution(const DeviceCaps& device);

/// "tile=32x32 pad=1".
std::string config_text(const Row& row);
/// "0.97 x copy 1.02 x vkcmdcopy".
std::string ratio_text(const Row& row);
/// ok, sampled, none, WRONG or skipped.
std::string verdict(const Row& row);
/// What went wrong or why nothing ran, lines; empty: there is nothing to say.
std::string remark(const Row& row);
/// "device" or "host".
std::string clock_name(const Timing& timing);
/// 2560, 97.1: as many digits as say something.
std::string rate_text(double rate);

}  // namespace vkmoye::bench
