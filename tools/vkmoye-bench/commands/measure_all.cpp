// SPDX-License-Identifier: MIT
#include "commands/measure_all.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "baselines/baselines.hpp"
#include "commands/open_device.hpp"
#include "commands/options.hpp"
#include "io/program.hpp"
#include "registry/operations.hpp"
#include "report/report.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

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

// The style of a table of `workloads`.
TableStyle style_of(const Workloads& workloads, const MeasureOptions& options, bool has_clock) {
  TableStyle style;
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
  style.has_times = has_clock;
  style.has_ceiling = beside_copy || beside_peak;
  style.ceiling = beside_copy && beside_peak ? "top" : beside_peak ? kPeakBaseline : "copy";
  return style;
}

// Decoding weights for matrix units is more code than LLVM compiles in ten minutes, or in one.
const std::vector<std::string> kSlowOnCpus = {"gemm/quantised_coopmat", "gemm/packed_weights"};

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

MeasuredReport::MeasuredReport(const CommandOptions& options, const DeviceCaps& device,
                               TableStyle style, Summary summary,
                               std::function<void(MeasuredReport&)> on_signal)
    : on_signal_(std::move(on_signal)), file_(options.output) {
  if (!options.report.empty()) {
    if (options.report == (file_->goes_to_stdout() ? "-" : options.output)) {
      throw ArgumentError(fmt::format("--report {}: the other report goes there", options.report));
    }
    page_file_.emplace(options.report);
    page_.emplace(kHtml, page_text_, ReportContents{device});
  }
  if (file_->goes_to_stdout()) style.terminal = terminal_of(system::Stream::output);
  style.commands = options.commands || !file_->goes_to_stdout();
  report_ = make_report(options.format, file_->stream(), device, style, summary);
  signals_.emplace([this] { handle_signal(); });
}

void MeasuredReport::handle_signal() {
  const std::unique_lock lock(writing_, std::chrono::seconds(1));
  if (!lock) return;  // a write to a pipe that nobody reads has not ended
  progress_.clear();
  on_signal_(*this);
  finish(End::interrupted);
  file_.reset();
}

void MeasuredReport::add(const Result& result) {
  if (!file_) return;  // a signal has ended the report
  report_->add(result);
  if (page_) page_->add(result);
  if (!is_lost()) file_->keep();
}

void MeasuredReport::finish(End end) {
  report_->finish(end);
  if (!page_) return;
  page_->finish(end);
  page_file_->write(page_text_.str());
  page_file_->commit();
}

void MeasuredReport::finish() {
  if (!file_) return;
  finish(End::complete);
  file_->close();  // errors on stdout are reported by bench::main
}

int measure_all(Executor& executor, const Workloads& workloads, const CommandOptions& options,
                Summary summary) {
  MeasureOptions measure_options = options;
  for (const std::string& name : problem_options()) {
    const auto typed = options.config.find(name);
    if (typed != options.config.end()) measure_options.problem_config.insert(*typed);
  }
  Outcome outcome(measure_options.gate);
  CopyTimes copies;
  MeasuredReport report(options, executor.caps(),
                        style_of(workloads, measure_options, !is_host(options.device)), summary);
  Progress& progress = report.progress();
  std::size_t number = 0;
  for (const auto& workload : workloads) {
    const std::string what =
        fmt::format("{} {} {}", workload.entry->name, workload.problem->type_text,
                    size_text(workload.problem->size));
    progress.step(++number, workloads.size());
    measure_options.on_stage = [&](const std::string& stage) {
      if (stage == kBuilding) return progress.compile(what, executor.caps().name);
      if (stage == kLaunching) return progress.launch(what, executor.caps().name);
      progress.show(what + ": " + stage);
    };
    measure_options.on_stage("describing");
    Result result = measure(executor, workload, measure_options, copies);
    const auto lock = report.lock();
    progress.clear();
    outcome.add(result);
    report.add(result);
    if (report.is_lost()) break;  // later results would be lost as well
  }
  report.ignore_signals();
  save_pipeline_cache(executor);
  report.finish();
  return outcome.status();
}

void leave_out_slow_compiles(const std::string& command, const DeviceCaps& device,
                             const std::vector<std::string>& named, Workloads& workloads) {
  if (device.kind != DeviceKind::cpu) return;
  std::vector<std::string> left_out;
  std::erase_if(workloads, [&](const auto& workload) {
    const std::string& name = workload.entry->name;
    const bool is_slow = contains(kSlowOnCpus, name) && !contains(named, name);
    if (is_slow && !contains(left_out, name)) left_out.push_back(name);
    return is_slow;
  });
  if (left_out.empty()) return;
  print_error(
      fmt::format("{}: leaves out {}, which compilers for CPUs take minutes to compile; "
                  "'run' with its full name compiles it",
                  command, join(left_out, " and ")));
}

}  // namespace vkmoye::bench
