// SPDX-License-Identifier: MIT
#pragma once
// The formats of a report, and the texts that several of them share.

#include <string>

#include "report/report.hpp"
#include "vkmoye/contract/json.hpp"

namespace vkmoye::bench {

extern const ReportFormat kTable, kMarkdown, kCsv, kJson, kJunit;
/// A page for a browser: a roofline, the kernels of each problem as bars, the results farthest from their bounds. It
/// loads nothing, and follows the light or dark colours of the reader's system.
extern const ReportFormat kHtml;

/// The device as JSON: name, driver, type, api.
Json device_json(const DeviceCaps& device);

/// "NVIDIA H200 (discrete, 580.159, Vulkan 1.4.312)".
std::string device_text(const DeviceCaps& device);

/// The warning in table and Markdown reports that the device is a CPU; empty if it is not.
std::string caution(const DeviceCaps& device);

/// "tile=32x32 pad=1".
std::string config_text(const Result& result);
/// "0.97 x copy 1.02 x vkcmdcopy".
std::string ratio_text(const Result& result);
/// ok, sampled, none, WRONG or skipped.
std::string check_text(const Result& result);
/// What went wrong or why nothing ran, as lines; empty: nothing to report.
std::string remark(const Result& result);
/// `text` for XML and HTML, also in attributes in double quotes. XML allows no control characters, not even escaped.
std::string escaped(const std::string& text);
/// "device" or "host".
std::string clock_name(const Timing& timing);
/// 2560, 97.1: significant digits only.
std::string rate_text(double rate);

}  // namespace vkmoye::bench
