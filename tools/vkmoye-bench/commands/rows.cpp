// SPDX-License-Identifier: MIT
#include "commands/rows.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <mutex>
#include <optional>
#include <utility>

#include "commands/command.hpp"
#include "commands/open_device.hpp"
#include "commands/progress.hpp"
#include "io/interruption.hpp"
#include "io/output_file.hpp"
#include "io/program.hpp"
#include "report/performance_summary.hpp"

namespace vkmoye::bench {
namespace {

// Why a row does not come through the gate, a line for each baseline; empty: it does, or none of the
// baselines does what it does.
std::vector<std::string> reasons_against_row(const Row& row, double gate) {
  std::vector<std::string> reasons;
  const std::string subject =
      fmt::format("{} {} {}", row.kernel, row.type, to_string(Extents(row.size)));
  for (const auto& [name, ratio] : row.ratio) {
    if (ratio >= gate) continue;
    reasons.push_back(
        fmt::format("{}: {:.3g} x the speed of {}, below the gate {}", subject, ratio, name, gate));
  }
  // A baseline that could not be had lets nothing through.
  for (const auto& [name, why] : row.no_ratio) {
    reasons.push_back(fmt::format("{}: no time of {}: {}", subject, name, why));
  }
  return reasons;
}

// What the rows so far say about the exit status.
class Outcome {
 public:
  explicit Outcome(std::optional<double> gate) : gate_(gate) {}

  /// Adds to the row, and says on stderr, what the gate holds against it.
  void add(Row& row) {
    any_ran_ = any_ran_ || row.skipped.empty();
    any_wrong_ = any_wrong_ || (row.verified && !*row.verified);
    if (!gate_ || !row.skipped.empty()) return;
    row.below_gate = reasons_against_row(row, *gate_);
    for (const std::string& reason : row.below_gate) {
      complain(fmt::format("gate: {}", reason));
      any_too_slow_ = true;
    }
    if (row.ratio.empty() && row.no_ratio.empty()) {
      complain(fmt::format("gate: {}: not compared, no --baseline does what it does", row.kernel));
    }
  }
  int status() const {
    return any_wrong_ ? kWrongResult : !any_ran_ ? kNothingRan : any_too_slow_ ? kTooSlow : kOk;
  }

 private:
  std::optional<double> gate_;
  bool any_ran_ = false, any_wrong_ = false, any_too_slow_ = false;
};

// Of a table of `workloads`, to a file or to stdout.
TableStyle style_of(const Workloads& workloads, const MeasureOptions& options, bool to_file,
                    bool commands, bool has_clock) {
  TableStyle style;
  if (!to_file) style.terminal = terminal_of(STDOUT_FILENO);
  style.commands = commands || to_file;
  style.kernel = style.type = style.size = 0;
  style.has_flops = false;
  bool beside_copy = false, beside_peak = false;
  const bool asks_for_peak = std::find(options.baselines.begin(), options.baselines.end(),
                                       kPeakBaseline) != options.baselines.end();
  for (const auto& workload : workloads) {
    style.kernel = std::max(style.kernel, workload->entry().name.size());
    style.type = std::max(style.type, workload->type_text().size());
    style.size = std::max(style.size, to_string(workload->size()).size());
    style.has_flops = style.has_flops || workload->flops() > 0;
    beside_copy = beside_copy || workload->is_bound_by_memory();
    beside_peak = beside_peak || (!workload->is_bound_by_memory() && asks_for_peak &&
                                  does(kPeakBaseline, workload->entry()));
  }
  style.has_flops = style.has_flops && has_clock;
  style.has_ceiling = (beside_copy || beside_peak) && has_clock;
  style.ceiling = beside_copy && beside_peak ? "top" : beside_peak ? kPeakBaseline : "copy";
  return style;
}

}  // namespace

int run_rows(Executor& executor, const Workloads& workloads, MeasureOptions options,
             const Given& given, bool summary) {
  std::optional<StreamedFile> file;
  if (!given.output.empty() && given.output != "-") file.emplace(given.output);
  std::ostream& out = file ? file->stream() : std::cout;

  options.values = given.values;
  for (const std::string_view name : kOptionsOfMeaning) {
    const auto typed = given.config.find(std::string(name));
    if (typed != given.config.end()) options.meaning.insert(*typed);
  }
  Outcome outcome(options.gate);
  std::vector<Row> rows;  // for the summary
  CopyTimes copies;
  const Progress progress;
  const auto report = make_report(
      given.format, out, executor.caps(),
      style_of(workloads, options, file.has_value(), given.commands, !is_host(given.device)));
  const auto finish = [&](bool interrupted) {
    if (summary) report->add_summary(ladders_of(rows));
    report->finish(interrupted);
    out.flush();
  };
  std::timed_mutex writing;  // a row is written whole before a signal ends the report
  std::optional<Interruption> on_signal(std::in_place, [&] {
    const std::unique_lock lock(writing, std::chrono::seconds(1));
    if (!lock) return;  // nobody reads the pipe that a row goes into
    progress.clear();
    finish(true);
    file.reset();
  });
  std::size_t number = 0;
  for (const auto& workload : workloads) {
    const std::string what =
        fmt::format("[{}/{}] {} {} {}", ++number, workloads.size(), workload->entry().name,
                    workload->type_text(), to_string(workload->size()));
    options.on_stage = [&](const std::string& stage) { progress.show(what + ": " + stage); };
    options.on_stage("describing");
    Row row = measure(executor, *workload, options, copies);
    const std::lock_guard lock(writing);
    progress.clear();
    outcome.add(row);
    report->add(row);
    if (summary) rows.push_back(row);
    if (!out) break;  // the rows to come would be lost as well
    if (file) file->keep();
  }
  on_signal.reset();
  keep(executor);
  finish(false);
  if (file) file->close();  // of stdout, the program tells at its end
  return outcome.status();
}

}  // namespace vkmoye::bench
