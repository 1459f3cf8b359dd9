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

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/runtime/timing.hpp"

namespace vkmoye::bench {

/// The value below which `fraction` of the samples lie, interpolated. Precondition: not empty.
double quantile(const Timing& timing, double fraction);

struct Row {
  std::string kernel;
  std::string type;
  std::vector<std::int64_t> size;
  std::vector<std::pair<std::string, std::string>> config;
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
  /// The speed, of 100 that copy/auto of as many bytes reached in this run; nothing: not measured.
  std::optional<double> percent_of_ceiling;
  std::string skipped;  // every reason; empty: it ran
  std::string command;  // repeats the row
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

/// `format`: table, json, csv or markdown. Throws ArgumentError for any other.
std::unique_ptr<Report> make_report(const std::string& format, std::ostream& out,
                                    const DeviceCaps& device);

/// 12.3 us, 4.56 ms, 1.23 s.
std::string format_time(double microseconds);

}  // namespace vkmoye::bench
