// SPDX-License-Identifier: MIT
#include "commands/measure_all.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <utility>

#include "baselines/baselines.hpp"
#include "commands/command.hpp"
#include "commands/open_device.hpp"
#include "io/output_file.hpp"
#include "io/program.hpp"
#include "io/progress.hpp"
#include "registry/operations.hpp"
#include "report/cliffs.hpp"
#include "report/html_report.hpp"
#include "report/performance_summary.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/system/signal_handler.hpp"

namespace vkmoye::bench {
namespace {

// Why a result fails the gate, a line for each baseline; empty: it does not, or no baseline computes the same.
std::vector<std::string> reasons_against(const Result& result, double gate) {
  std::vector<std::string> reasons;
  const std::string subject =
      fmt::format("{} {} {}", result.kernel, result.type, size_text(Extents(result.size)));
  for (const auto& [name, ratio] : result.ratio) {
    if (ratio >= gate) continue;
    reasons.push_back(
        fmt::format("{}: {:.3g} x the speed of {}, below the gate {}", subject, ratio, name, gate));
  }
  // A baseline that could not be timed fails the gate.
  for (const auto& [name, why] : result.no_ratio) {
    reasons.push_back(fmt::format("{}: {} was not timed: {}", subject, name, why));
  }
  return reasons;
}

// The exit status, from the results so far.
class Outcome {
 public:
  explicit Outcome(std::optional<double> gate) : gate_(gate) {}

  /// If the result fails the gate, adds the reasons to it and prints them on stderr.
  void add(Result& result) {
    any_ran_ = any_ran_ || result.skipped.empty();
    any_wrong_ = any_wrong_ || (result.verified && !*result.verified);
    if (!gate_ || !result.skipped.empty()) return;
    result.below_gate = reasons_against(result, *gate_);
    for (const std::string& reason : result.below_gate) {
      print_error(fmt::format("gate: {}", reason));
      any_too_slow_ = true;
    }
    if (result.ratio.empty() && result.no_ratio.empty()) {
      print_error(
          fmt::format("gate: {}: not compared, no --baseline computes the same", result.kernel));
    }
  }
  int status() const {
    return any_wrong_ ? kWrongResult : !any_ran_ ? kNothingRan : any_too_slow_ ? kTooSlow : kOk;
  }

 private:
  std::optional<double> gate_;
  bool any_ran_ = false, any_wrong_ = false, any_too_slow_ = false;
};

// The style of a table of `workloads`, for a file or for stdout.
TableStyle style_of(const Workloads& workloads, const MeasureOptions& options, bool to_file,
                    bool commands, bool has_clock) {
  TableStyle style;
  if (!to_file) style.terminal = terminal_of(system::Stream::output);
  style.commands = commands || to_file;
  style.kernel = style.type = style.size = 0;
  style.has_flops = false;
  bool beside_copy = false, beside_peak = false;
  const bool asks_for_peak = std::find(options.baselines.begin(), options.baselines.end(),
                                       kPeakBaseline) != options.baselines.end();
  for (const auto& workload : workloads) {
    style.kernel = std::max(style.kernel, workload.entry->name.size());
    style.type = std::max(style.type, workload.problem->type_text.size());
    style.size = std::max(style.size, size_text(workload.problem->size).size());
    style.has_flops = style.has_flops || workload.problem->flops > 0;
    beside_copy = beside_copy || workload.problem->is_bound_by_memory();
    beside_peak = beside_peak || (!workload.problem->is_bound_by_memory() && asks_for_peak &&
                                  is_baseline_of(kPeakBaseline, *workload.entry));
  }
  style.has_flops = style.has_flops && has_clock;
  style.has_ceiling = (beside_copy || beside_peak) && has_clock;
  style.ceiling = beside_copy && beside_peak ? "top" : beside_peak ? kPeakBaseline : "copy";
  return style;
}

// The file of --report; null if there is none.
std::unique_ptr<OutputFile> open_page(const CommandOptions& options) {
  if (options.report.empty()) return nullptr;
  const std::string output = options.output.empty() ? "-" : options.output;
  if (options.report == output) {
    throw ArgumentError(fmt::format("--report {}: the other report goes there", options.report));
  }
  return std::make_unique<OutputFile>(options.report);
}

}  // namespace

int measure_all(Executor& executor, const Workloads& workloads, const CommandOptions& options,
                Summary summary) {
  std::optional<StreamedFile> file;
  if (!options.output.empty() && options.output != "-") file.emplace(options.output);
  std::ostream& out = file ? file->stream() : std::cout;
  const std::unique_ptr<OutputFile> page_file = open_page(options);

  MeasureOptions measure_options = options.measure;
  measure_options.values = options.values;
  for (const std::string& name : problem_options()) {
    const auto typed = options.config.find(name);
    if (typed != options.config.end()) measure_options.problem_config.insert(*typed);
  }
  Outcome outcome(measure_options.gate);
  std::vector<Result> results;  // for the summary
  CopyTimes copies;
  Progress progress;
  const auto report = make_report(options.format, out, executor.caps(),
                                  style_of(workloads, measure_options, file.has_value(),
                                           options.commands, !is_host(options.device)));
  std::ostringstream page_text;
  const std::unique_ptr<Report> page =
      page_file ? make_html_report(page_text, executor.caps()) : nullptr;
  const auto finish = [&](End end) {
    if (summary == Summary::ladders) report->add_summary(ladders_of(results));
    if (summary == Summary::cliffs) report->add_cliffs(cliffs_of(results));
    report->finish(end);
    out.flush();
    if (!page) return;
    page->finish(end);
    page_file->write(page_text.str());
    page_file->commit();
  };
  std::timed_mutex writing;  // a signal waits until a result is written in full
  std::optional<system::SignalHandler> on_signal(std::in_place, [&] {
    const std::unique_lock lock(writing, std::chrono::seconds(1));
    if (!lock) return;  // the write blocks: nobody reads the pipe
    progress.clear();
    finish(End::interrupted);
    file.reset();
  });
  std::size_t number = 0;
  for (const auto& workload : workloads) {
    const std::string what =
        fmt::format("[{}/{}] {} {} {}", ++number, workloads.size(), workload.entry->name,
                    workload.problem->type_text, size_text(workload.problem->size));
    measure_options.on_stage = [&](const std::string& stage) {
      if (stage == kBuilding) return progress.compile(what, executor.caps().name);
      if (stage == kLaunching) return progress.launch(what, executor.caps().name);
      progress.show(what + ": " + stage);
    };
    measure_options.on_stage("describing");
    Result result = measure(executor, workload, measure_options, copies);
    const std::lock_guard lock(writing);
    progress.clear();
    outcome.add(result);
    report->add(result);
    if (page) page->add(result);
    if (summary != Summary::none) results.push_back(result);
    if (!out) break;  // later results would be lost as well
    if (file) file->keep();
  }
  on_signal.reset();
  save_pipeline_cache(executor);
  finish(End::complete);
  if (file) file->close();  // errors on stdout are reported by bench::main
  return outcome.status();
}

}  // namespace vkmoye::bench
