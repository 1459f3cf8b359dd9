// SPDX-License-Identifier: MIT
#pragma once
// The output of `run` and `suite`: one result for each kernel, type and size, flushed as soon as it was measured.

#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/terminal.hpp"
#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/contract/json.hpp"
#include "vkmoye/runtime/timing.hpp"

namespace vkmoye::bench {

struct Result {
  std::string kernel;
  std::string type;
  std::vector<std::int64_t> size;
  std::vector<std::pair<std::string, std::string>> config;
  std::string options;  // options of the problem, without those at their defaults
  std::optional<Timing> timing;
  std::optional<double> gbps;    // declared bytes over the median, 10^9 bytes per second
  std::optional<double> tflops;  // 10^12 floating-point operations per second; moves have none
  std::optional<bool> verified;  // nullopt: verification was off
  std::string verification;      // "full", "sample" or "off"
  std::uint64_t mismatches = 0;
  double max_error = 0;                         // largest absolute difference from the definition
  std::string wrong;                            // the first errors found, as text
  std::map<std::string, double> ratio;          // by baseline: its median over this median
  std::map<std::string, std::string> no_ratio;  // by baseline: why there is no ratio
  std::map<std::string, std::string> notes;     // by baseline: how to read its ratio
  /// The speed as a percentage of that of `ceiling` in this run; nullopt: not measured.
  std::optional<double> percent_of_ceiling;
  std::string ceiling;  // "copy": copy/auto of as many bytes; "peak": multiply-adds from registers
  /// The percentage of --stop-noise, if the noise stayed above it; nullopt: it did not, or --stop-noise
  /// was not given.
  std::optional<double> noise_missed;
  std::map<std::string, std::string> noise_of;  // the same for its baselines
  std::vector<std::string> below_gate;          // why it fails the gate; empty: it does not
  std::string skipped;                          // every reason; empty: it ran
  std::string command;                          // repeats the measurement
};

/// Whether all results were measured.
enum class End : std::uint8_t { complete, interrupted };
/// What a report for people says at its end if it was interrupted.
inline constexpr const char* kInterrupted = "interrupted: results are missing";

/// What follows the results, see summaries.hpp: the ladders of the kernels, or the results that are farthest from their
/// bounds.
enum class Summary : std::uint8_t { none, ladders, cliffs };

/// The style of a table, and the longest text that each column will have to show.
struct TableStyle {
  Terminal terminal = {};
  bool commands = false;  // below each result the command that repeats it
  std::size_t kernel = 26, type = 4, size = 11;
  bool has_times = true, has_flops = true, has_ceiling = true;  // whether any result has them
  std::string ceiling = "copy";  // which; "top" where results have different ones
};

/// The contents of a report in any format.
struct ReportContents {
  DeviceCaps device;
  TableStyle style = {};
  Summary summary = Summary::none;
  End end = End::complete;
  std::vector<Result> results =
      {};  // all of them, if there is a summary or the format needs them at the end
};

/// One format of a report, as text: what comes before the results, each result, and what comes after all of them.
struct ReportFormat {
  const char* name;
  std::string (*begin)(const ReportContents& contents);
  std::string (*line)(const ReportContents& contents, const Result& result, bool is_first);
  std::string (*finish)(const ReportContents& contents);  // has all results if `line` is null

  bool needs_all() const { return line == nullptr; }
};

/// Writes results in a format. Errors are left in the state of the stream.
class Report {
 public:
  Report(const ReportFormat& format, std::ostream& out, ReportContents contents);
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  /// Ends the report without a summary, after an exception, so that it is complete in every format.
  ~Report();

  void add(const Result& result);
  /// Ends the report: no result follows.
  void finish(End end = End::complete);

 private:
  const ReportFormat& format_;
  std::ostream& out_;
  ReportContents contents_;
  bool is_first_ = true, is_finished_ = false;
};

/// "table json csv markdown junit": the formats that make_report takes.
const std::vector<std::string>& report_formats();

/// Throws ArgumentError for an unknown format. `style` applies to tables.
std::unique_ptr<Report> make_report(const std::string& format, std::ostream& out,
                                    const DeviceCaps& device, const TableStyle& style = {},
                                    Summary summary = Summary::none);

/// 12.3 us, 4.56 ms, 1.23 s.
std::string format_time(double microseconds);

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
