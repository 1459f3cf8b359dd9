// SPDX-License-Identifier: MIT
#include "commands/measure_all.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "baselines/baselines.hpp"
#include "commands/command.hpp"
#include "commands/measured_report.hpp"
#include "commands/open_device.hpp"
#include "io/program.hpp"
#include "registry/operations.hpp"

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
  style.has_flops = style.has_flops && has_clock;
  style.has_ceiling = (beside_copy || beside_peak) && has_clock;
  style.ceiling = beside_copy && beside_peak ? "top" : beside_peak ? kPeakBaseline : "copy";
  return style;
}

}  // namespace

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
        fmt::format("[{}/{}] {} {} {}", ++number, workloads.size(), workload.entry->name,
                    workload.problem->type_text, size_text(workload.problem->size));
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

}  // namespace vkmoye::bench
