#include "commands/rows.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <mutex>
#include <optional>
#include <utility>

#include "commands/command.hpp"
#include "commands/open_device.hpp"
#include "io/interruption.hpp"
#include "io/output_file.hpp"
#include "report/performance_summary.hpp"

namespace vkmoye::bench {
namespace {

// One line on a terminal that the next line overwrites; nothing elsewhere.
class Progress {
 public:
  explicit Progress(std::size_t total) : total_(total), shown_(isatty(STDERR_FILENO) != 0) {}
  ~Progress() { clear(); }
  void show(const std::string& what) {
    if (shown_) std::cerr << fmt::format("\r\x1b[K[{}/{}] {}", ++done_, total_, what) << std::flush;
  }
  void clear() {
    if (shown_) std::cerr << "\r\x1b[K" << std::flush;
  }

 private:
  std::size_t total_, done_ = 0;
  bool shown_;
};

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

  /// Says on stderr what the gate holds against the row.
  void add(const Row& row) {
    any_ran_ = any_ran_ || row.skipped.empty();
    any_wrong_ = any_wrong_ || (row.verified && !*row.verified);
    if (!gate_ || !row.skipped.empty()) return;
    for (const std::string& reason : reasons_against_row(row, *gate_)) {
      fmt::print(stderr, "vkmoye-bench: gate: {}\n", reason);
      any_too_slow_ = true;
    }
    if (row.ratio.empty() && row.no_ratio.empty()) {
      fmt::print(stderr, "vkmoye-bench: gate: {}: not compared, no --baseline does what it does\n",
                 row.kernel);
    }
  }
  int status() const {
    return any_wrong_ ? kWrongResult : !any_ran_ ? kNothingRan : any_too_slow_ ? kTooSlow : kOk;
  }

 private:
  std::optional<double> gate_;
  bool any_ran_ = false, any_wrong_ = false, any_too_slow_ = false;
};

}  // namespace

int run_rows(Executor& executor, const Workloads& workloads, const MeasureOptions& options,
             const Given& given, bool summary) {
  std::optional<StreamedFile> file;
  if (!given.output.empty() && given.output != "-") file.emplace(given.output);
  std::ostream& out = file ? file->stream() : std::cout;

  Outcome outcome(options.gate);
  std::vector<Row> rows;  // for the summary
  CopyTimes copies;
  Progress progress(workloads.size());
  const auto report = make_report(given.format, out, executor.caps());
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
  for (const auto& workload : workloads) {
    progress.show(fmt::format("{} {}", workload->entry().name, to_string(workload->size())));
    const Row row = measure(executor, *workload, options, copies);
    const std::lock_guard lock(writing);
    progress.clear();
    report->add(row);
    outcome.add(row);
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
