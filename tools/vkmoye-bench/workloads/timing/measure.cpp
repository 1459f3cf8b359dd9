// SPDX-License-Identifier: MIT
#include "workloads/timing/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "baselines/baselines.hpp"
#include "baselines/library.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"
#include "vkmoye/gen/passes/bake.hpp"
#include "workloads/devices/device_executor.hpp"
#include "workloads/products/fragments.hpp"

namespace vkmoye::bench {
namespace {

const char* to_string(Verify verify) {
  return verify == Verify::full ? "full" : verify == Verify::sample ? "sample" : "off";
}

double median(const Timing& timing) { return quantile(timing, 0.5); }

// Moves the sizes among each step's arguments into its kernel. Returns their names, each once.
std::vector<std::string> bake_sizes(Plan& plan) {
  std::set<std::string> names;
  for (Step& step : plan.steps) {
    Arguments sizes;
    for (const PushConstant& constant : step.kernel.arguments) {
      if (constant.type != ScalarType::u32 || !step.arguments.contains(constant.name)) continue;
      sizes.insert(step.arguments.extract(constant.name));
      names.insert(constant.name);
    }
    step.kernel = gen::bake(step.kernel, sizes);
  }
  return {names.begin(), names.end()};
}

// Of another kernel for the same: on the same data, its result checked, too. Fills in the note of `row`.
Timing time_kernel(Executor& executor, const gen::KernelEntry& entry, const Workload& workload,
                   const MeasureOptions& options, const TimingRules& rules, Row& row) {
  try {
    const Operation& operation = operation_of(entry);
    const auto other =
        operation.of_size({&entry, workload.type_text(), options.meaning, options.values},
                          size_of_form(operation.size, workload.size()));
    const auto no_type = gen::reasons_against_type(entry.types, other->request().type);
    if (!no_type.empty()) throw Unavailable(join(no_type, "; "));
    if (!other->refusal().empty()) throw Unavailable(other->refusal());
    Plan plan = plan_on(executor, *other);
    const auto baked = options.bake ? bake_sizes(plan) : std::vector<std::string>();
    const auto reasons = executor.reasons_against(plan);
    if (!reasons.empty()) throw Unavailable(join(reasons, "; "));
    const auto execution = executor.prepare(plan);
    other->fill(*execution, options.seed);
    execution->run();
    const Verdict verdict = other->check(*execution, Verify::sample, options.seed);
    if (verdict.mismatches > 0) throw Unavailable("its result is wrong: " + verdict.first);
    if (!baked.empty()) {
      row.notes[entry.name] = "in it, too, these are numbers: " + join(baked, ", ");
    }
    return execution->on_device()->measure(rules);
  } catch (const KernelError& error) {
    throw Unavailable(join(error.reasons, "; "));
  } catch (const ArgumentError& error) {
    throw Unavailable(error.what());  // options that the other kernel does not take
  } catch (const DeviceError& error) {
    if (error.kind != DeviceError::Kind::kOutOfMemory) throw;
    throw Unavailable(error.what());
  }
}

void add_baselines(Executor& executor, DeviceExecution& execution, const Workload& workload,
                   const Step& step, const MeasureOptions& options, const TimingRules& rules,
                   Row& row) {
  for (const std::string& name : options.baselines) {
    if (!does(name, workload.entry())) continue;
    try {
      const double work = name == kPeakBaseline ? workload.flops() : workload.bytes();
      if (work == 0) throw Unavailable("there is nothing to do");
      options.on_stage("timing " + name);
      const gen::KernelEntry* kernel = kernel_called(name);
      const Timing timing =
          kernel ? time_kernel(executor, *kernel, workload, options, rules, row)
                 : workload.time_baseline(name, {execution, step, rules, options.seed});
      if (median(*row.timing) == 0) throw Unavailable("the kernel took no time that was measured");
      row.ratio[name] = median(timing) / median(*row.timing);
      if (rules.stop_noise && noise_percent(timing) > *rules.stop_noise) {
        row.noise_of[name] = noise_text(timing, *rules.stop_noise);
      }
      if (name == kPatternBaseline) {
        row.notes[name] =
            "the kernel's own accesses to memory, nothing turned between: the result "
            "is no transpose or relayout, and is not compared";
      }
      if (name == kPeakBaseline) {
        row.notes[name] =
            "as many multiply-adds as the device can do from registers: the ceiling of products, "
            "with no result to compare";
      }
    } catch (const Unavailable& why) {
      row.no_ratio[name] = why.what();
    }
  }
}

// How fast the kernel was beside a copy of as many bytes, for what memory bounds. The copy is timed once for
// each number of bytes, and but briefly: the device is warm.
void add_ceiling(DeviceExecution& execution, const Workload& workload, const Step& step,
                 const MeasureOptions& options, CopyTimes& copies, Row& row) {
  constexpr const char* kCopy = "copy";
  const double kernel_us = median(*row.timing);
  if (const auto peak = row.ratio.find(kPeakBaseline);
      peak != row.ratio.end() && !workload.is_bound_by_memory()) {
    row.percent_of_ceiling = 100 * peak->second;
    row.ceiling = kPeakBaseline;
    return;
  }
  if (!workload.is_bound_by_memory() || workload.bytes() == 0 || kernel_us == 0) return;
  const auto bytes = static_cast<std::uint64_t>(workload.bytes());
  if (const auto ratio = row.ratio.find(kCopy); ratio != row.ratio.end()) {
    copies[bytes] = ratio->second * kernel_us;
  } else if (!copies.contains(bytes)) {
    if (options.min_time == 0 || row.no_ratio.contains(kCopy)) return;
    TimingRules rules;
    rules.cold = options.cold;
    rules.times.warm_up_seconds = 0.01;
    rules.times.min_seconds = rules.times.max_seconds = std::min(0.04, options.min_time);
    rules.times.batch_seconds = 0.01;
    const BaselineRun run = {execution, step, rules, options.seed};
    options.on_stage("timing copy");
    try {
      copies[bytes] = median(does(kCopy, workload.entry()) ? workload.time_baseline(kCopy, run)
                                                           : time_copy_of(bytes, run));
    } catch (const Unavailable&) {
      return;  // nobody asked for the copy itself
    }
  }
  row.percent_of_ceiling = 100 * copies[bytes] / kernel_us;
  row.ceiling = kCopy;
}

// A GPU that waited while the host checked needs a while until its clock has risen.
double warm_up_of(const DeviceCaps& device, double min_time) {
  constexpr double kUntilTheClockHasRisen = 0.3;  // seconds; 0.15 to 0.25 seen on an H200
  const bool has_clock = min_time > 0 && device.kind != DeviceKind::cpu;
  return has_clock ? std::max(min_time, kUntilTheClockHasRisen) : min_time;
}

// Fills in the times of a kernel that ran and of its baselines.
void add_times(Executor& executor, DeviceExecution& execution, const Workload& workload,
               const Step& step, const MeasureOptions& options, CopyTimes& copies, Row& row) {
  TimingRules rules;
  rules.times.min_seconds = options.min_time;
  rules.times.warm_up_seconds = warm_up_of(execution.caps(), options.min_time);
  rules.times.max_seconds = std::max(options.budget, options.min_time);
  rules.stop_noise = options.stop_noise;
  rules.cold = options.cold;
  options.on_stage("timing");
  row.timing = execution.measure(rules);
  if (rules.stop_noise && noise_percent(*row.timing) > *rules.stop_noise) {
    row.noise_missed = rules.stop_noise;
  }
  const double microseconds = median(*row.timing);
  if (microseconds > 0) {
    row.gbps = workload.bytes() / (microseconds * 1e3);
    if (workload.flops() > 0) row.tflops = workload.flops() / (microseconds * 1e6);
  }
  add_baselines(executor, execution, workload, step, options, rules, row);
  add_ceiling(execution, workload, step, options, copies, row);
}

// Fills in the verdict and the times of a row whose plan can run.
void check_and_time(Executor& executor, const Workload& workload, const Plan& plan,
                    const MeasureOptions& options, CopyTimes& copies, Row& row) {
  const Verify verify =
      options.verify.value_or(workload.is_checked_in_full() ? Verify::full : Verify::sample);
  options.on_stage("building");
  const auto execution = executor.prepare(plan);
  options.on_stage("checking");
  workload.fill(*execution, options.seed);
  execution->run();
  if (verify != Verify::off) {
    const Verdict verdict = workload.check(*execution, verify, options.seed);
    row.mismatches = verdict.mismatches;
    row.max_error = verdict.max_error;
    row.wrong = verdict.first;
    row.verification = to_string(verify);
  }
  if (DeviceExecution* device = execution->on_device()) {
    add_times(executor, *device, workload, plan.steps[plan.main], options, copies, row);
  } else {
    for (const std::string& name : options.baselines) {
      if (does(name, workload.entry())) row.no_ratio[name] = "there is no clock on the host";
    }
  }
  // After everything that ran, so that no launch wrote beside its buffers unseen.
  const std::string damage = execution->damage();
  if (!damage.empty()) row.wrong += (row.wrong.empty() ? "" : "; ") + damage;
  if (verify != Verify::off || !row.wrong.empty()) row.verified = row.wrong.empty();
}

}  // namespace

std::string repeat_command(const DeviceCaps& device, const Workload& workload,
                           const MeasureOptions& options) {
  std::vector<std::string> words = {options.program, "run"};
  for (const std::string& word : workload.subject()) words.push_back(word);
  const auto add = [&](const std::string& name, const std::string& value) {
    words.push_back("--" + name);
    words.push_back(value);
  };
  add("size", bench::to_string(workload.size()));
  add("type", workload.type_text());
  const std::vector<std::string> of_work = workload.words();
  words.insert(words.end(), of_work.begin(), of_work.end());
  for (const auto& [name, value] : workload.request().options) add(name, value);
  const MeasureOptions defaults;
  if (options.bake) words.push_back("--bake");
  if (options.verify) add("verify", to_string(*options.verify));
  if (options.min_time != defaults.min_time) add("min-time", fmt::format("{}", options.min_time));
  if (options.stop_noise) add("stop-noise", fmt::format("{}", *options.stop_noise));
  if (options.budget != defaults.budget) add("budget", fmt::format("{}", options.budget));
  if (options.cold) words.push_back("--cold");
  if (!options.baselines.empty()) add("baseline", join(options.baselines, ","));
  if (options.gate) add("gate", fmt::format("{}", *options.gate));
  if (options.seed != defaults.seed) add("seed", std::to_string(options.seed));
  add("device",
      options.device.empty() ? device.name.substr(0, device.name.find(" (")) : options.device);
  return shell_line(words);
}

Row measure(Executor& executor, const Workload& workload, const MeasureOptions& options,
            CopyTimes& copies) {
  Row row;
  row.kernel = workload.entry().name;
  row.type = workload.type_text();
  row.size = workload.size();
  std::vector<std::string> words = workload.words();
  if (options.cold) words.push_back("--cold");
  row.options = shell_line(words);
  row.verification = "off";
  row.command = repeat_command(executor.caps(), workload, options);
  const auto no_type = gen::reasons_against_type(workload.entry().types, workload.request().type);
  if (!no_type.empty()) {
    row.skipped = join(no_type, "; ");
    return row;
  }
  row.skipped = workload.refusal();
  if (!row.skipped.empty()) return row;
  Plan plan;
  try {
    plan = plan_on(executor, workload);
  } catch (const KernelError& error) {
    // How it holds matrices is the device's affair, and no fault of the config.
    if (workload.probes(executor.caps()).empty()) throw;
    row.skipped = join(error.reasons, "; ");
    return row;
  }
  if (options.bake) bake_sizes(plan);
  row.config = plan.steps[plan.main].kernel.config;
  row.config.insert(row.config.begin(), plan.chosen.begin(), plan.chosen.end());
  row.skipped = join(executor.reasons_against(plan), "; ");
  if (!row.skipped.empty()) return row;
  try {
    check_and_time(executor, workload, plan, options, copies, row);
  } catch (const DeviceError& error) {
    if (error.kind != DeviceError::Kind::kOutOfMemory) throw;
    row.skipped = error.what();
  } catch (const Unavailable& why) {
    row.skipped = why.what();
  }
  return row;
}

}  // namespace vkmoye::bench
