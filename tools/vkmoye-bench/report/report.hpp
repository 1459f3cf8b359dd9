// SPDX-License-Identifier: MIT
#pragma once
// What `run` and `suite` print: one row for each kernel, type and size, flushed as it is made.

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
#include "vkmoye/runtime/timing.hpp"

namespace vkmoye::bench {

/// The value below which `fraction` of the samples lie, interpolated. Precondition: not empty.
double quantile(const Timing& timing, double fraction);

/// How well the median is known: half of its 95 % confidence interval, as a percentage of it. From the
/// ranks of the samples, which need not be of any distribution.
double noise_percent(const Timing& timing);

/// That it did not come down to the percentage that --stop-noise asked for: "3.1 % after 20 samples, ..".
std::string noise_text(const Timing& timing, double wanted);

struct Row {
  std::string kernel;
  std::string type;
  std::vector<std::int64_t> size;
  std::vector<std::pair<std::string, std::string>> config;
  std::string options;  // of the command line that say what is computed, where not the usual ones
  std::optional<Timing> timing;
  std::optional<double> gbps;    // declared bytes over the median, 10^9 bytes per second
  std::optional<double> tflops;  // 10^12 floating-point operations per second; moves have none
  std::optional<bool> verified;  // nothing: verification was off
  std::string verification;      // "full", "sample" or "off"
  std::uint64_t mismatches = 0;
  double max_error = 0;                         // largest absolute difference from the definition
  std::string wrong;                            // the first things that are wrong, for a reader
  std::map<std::string, double> ratio;          // by baseline: its median over this median
  std::map<std::string, std::string> no_ratio;  // by baseline: why there is no ratio
  std::map<std::string, std::string> notes;     // by baseline: what its ratio does not say
  /// The speed, of 100 that `ceiling` reached in this run; nothing: not measured.
  std::optional<double> percent_of_ceiling;
  std::string ceiling;  // "copy": copy/auto of as many bytes; "peak": multiply-adds from registers
  /// Percent that --stop-noise asked for and that the noise did not come down to; nothing: it did, or
  /// nobody asked.
  std::optional<double> noise_missed;
  std::map<std::string, std::string> noise_of;  // likewise of its baselines, those alone
  std::vector<std::string> below_gate;  // why it does not come through the gate; empty: it does
  std::string skipped;                  // every reason; empty: it ran
  std::string command;                  // repeats the row
};

struct Ladder;  // see performance_summary.hpp

/// Writes rows in one of the formats. Whether they arrived is for the stream to say.
class Report {
 public:
  virtual ~Report() = default;
  virtual void add(const Row& row) = 0;
  /// The ladders of all rows that were added, for a report that ends with a summary.
  virtual void add_summary(const std::vector<Ladder>&) {}
  /// Ends the report: no row follows. The destructor does it where an exception came first, so
  /// that every format is complete, however few rows there were. `interrupted`: more rows were asked
  /// for.
  virtual void finish(bool interrupted = false) { static_cast<void>(interrupted); }
};

/// How a table is to look, and the longest text that each column will have to show.
struct TableStyle {
  Terminal terminal = {};
  bool commands = false;  // the command that repeats it below each row
  std::size_t kernel = 26, type = 4, size = 11;
  bool has_flops = true, has_ceiling = true;  // some row has TFLOP/s, a percentage of a ceiling
  std::string ceiling = "copy";               // which; "top" where rows have several
};

/// "table json csv markdown junit": what make_report takes.
const std::vector<std::string>& report_formats();

/// Throws ArgumentError for a format that there is not. `style`: of tables.
std::unique_ptr<Report> make_report(const std::string& format, std::ostream& out,
                                    const DeviceCaps& device, const TableStyle& style = {});

/// 12.3 us, 4.56 ms, 1.23 s.
std::string format_time(double microseconds);

}  // namespace vkmoye::bench
