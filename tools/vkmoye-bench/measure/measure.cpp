// SPDX-License-Identifier: MIT
#include "measure/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "baselines/baselines.hpp"
#include "baselines/copy.hpp"
#include "devices/device_executor.hpp"
#include "devices/turn.hpp"
#include "io/parse.hpp"
#include "registry/operations.hpp"
#include "timing/sampling.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"
#include "vkmoye/gen/passes/fixed_sizes.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {
namespace {

double median(const Timing& timing) { return quantile(timing, 0.5); }

// Moves the sizes among each step's arguments into its kernel. Returns their names, each once.
std::vector<std::string> bake_sizes(RunPlan& plan) {
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

// Times another kernel for the same problem on the same data, after checking its result. Fills in the note of
// `result`.
Timing time_kernel(Executor& executor, const gen::KernelEntry& entry, const Workload& workload,
                   const MeasureOptions& options, const TimingRules& rules, Result& result) {
  const auto timed = [&] {
    const Workload other =
        workload_of({&entry, workload.problem->type_text, options.problem_config, options.values},
                    gen::size_of_form(operation_of(entry).size, workload.problem->size));
    const auto no_type = gen::reasons_against_types(entry, other.problem->form);
    if (!no_type.empty()) throw Unavailable(join(no_type, "; "));
    if (!other.problem->refusal.empty()) throw Unavailable(other.problem->refusal);
    RunPlan plan = plan_on(executor, other);
    const auto baked = options.bake ? bake_sizes(plan) : std::vector<std::string>();
    if (!options.specialise.empty()) specialise_sizes(plan, options.specialise);
    const auto reasons = executor.reasons_against(plan);
    if (!reasons.empty()) throw Unavailable(join(reasons, "; "));
    const auto execution = executor.prepare(plan);
    other.problem->fill(*execution, options.seed);
    execution->run();
    const gen::CheckResult checked =
        other.problem->check(*execution, gen::Verify::sample, options.seed);
    if (checked.mismatches > 0) throw Unavailable("its result is wrong: " + checked.first);
    if (!baked.empty()) {
      result.notes[entry.name] = "these sizes are constants in it, too: " + join(baked, ", ");
    }
    return execution->on_device()->measure(rules);
  };
  try {
    return or_unavailable(timed);
  } catch (const ArgumentError& error) {
    throw Unavailable(error.what());  // options that the other kernel does not take
  }
}

void add_baselines(Executor& executor, DeviceExecution& execution, const Workload& workload,
                   const Step& step, const MeasureOptions& options, const TimingRules& rules,
                   Result& result) {
  for (const std::string& name : options.baselines) {
    if (!is_baseline_of(name, *workload.entry)) continue;
    try {
      const double work = name == kPeakBaseline ? workload.problem->flops : workload.problem->bytes;
      if (work == 0) throw Unavailable("there is no work to do");
      options.on_stage("timing " + name);
      const gen::KernelEntry* kernel = kernel_called(name);
      const Timing timing =
          kernel ? time_kernel(executor, *kernel, workload, options, rules, result)
                 : time_baseline(name, *workload.problem, {execution, step, rules, options.seed});
      if (median(*result.timing) == 0)
        throw Unavailable("the kernel's time was too short to be measured");
      result.ratio[name] = median(timing) / median(*result.timing);
      if (rules.stop_noise && noise_percent(timing) > *rules.stop_noise) {
        result.noise_of[name] = noise_text(timing, *rules.stop_noise);
      }
      if (name == kPatternBaseline) {
        result.notes[name] =
            "the kernel's own memory accesses without rearranging the elements: its result "
            "is not a transpose or relayout and is not compared";
      }
      if (name == kPeakBaseline) {
        result.notes[name] =
            "as many multiply-adds from registers, the ceiling of products: it has no result to "
            "compare";
      }
    } catch (const Unavailable& why) {
      result.no_ratio[name] = why.what();
    }
  }
}

// Computes the speed as a percentage of a copy of as many bytes, for memory-bound kernels. The copy is timed
// once for each number of bytes, and only briefly: the device is warm.
void add_ceiling(DeviceExecution& execution, const Workload& workload, const Step& step,
                 const MeasureOptions& options, CopyTimes& copies, Result& result) {
  constexpr const char* kCopy = "copy";
  const double kernel_us = median(*result.timing);
  if (const auto peak = result.ratio.find(kPeakBaseline);
      peak != result.ratio.end() && !workload.problem->is_bound_by_memory()) {
    result.percent_of_ceiling = 100 * peak->second;
    result.ceiling = kPeakBaseline;
    return;
  }
  if (!workload.problem->is_bound_by_memory() || workload.problem->bytes == 0 || kernel_us == 0)
    return;
  const auto bytes = static_cast<std::uint64_t>(workload.problem->bytes);
  if (const auto ratio = result.ratio.find(kCopy); ratio != result.ratio.end()) {
    copies[bytes] = ratio->second * kernel_us;
  } else if (!copies.contains(bytes)) {
    if (options.min_time == 0 || result.no_ratio.contains(kCopy)) return;
    TimingRules rules;
    rules.cold = options.cold;
    rules.times.warm_up_seconds = 0.01;
    rules.times.min_seconds = rules.times.max_seconds = std::min(0.04, options.min_time);
    rules.times.batch_seconds = 0.01;
    const BaselineRun run = {execution, step, rules, options.seed};
    options.on_stage("timing copy");
    try {
      copies[bytes] = median(is_baseline_of(kCopy, *workload.entry)
                                 ? time_baseline(kCopy, *workload.problem, run)
                                 : or_unavailable([&] { return time_copy_of(bytes, run); }));
    } catch (const Unavailable&) {
      return;  // its reason is not reported: the copy was not requested
    }
  }
  result.percent_of_ceiling = 100 * copies[bytes] / kernel_us;
  result.ceiling = kCopy;
}

// A GPU that was idle while the host checked needs some time until its clock frequency has risen; not if it was busy
// for another program that long.
double warm_up_of(const DeviceCaps& device, double min_time, double seconds_busy) {
  constexpr double kUntilTheClockHasRisen = 0.7;  // seconds; 0.15 to 0.35 measured on H200s
  const bool must_rise =
      seconds_busy < kUntilTheClockHasRisen && min_time > 0 && device.kind != DeviceKind::cpu;
  return must_rise ? std::max(min_time, kUntilTheClockHasRisen) : min_time;
}

// Fills in the times of a kernel that has run and of its baselines.
void add_times(Executor& executor, DeviceExecution& execution, const Workload& workload,
               const Step& step, const MeasureOptions& options, CopyTimes& copies, Result& result) {
  options.on_stage("waiting for other programs that time on this device");
  const TimingTurn turn(execution.caps());
  TimingRules rules;
  rules.times.min_seconds = options.min_time;
  rules.times.warm_up_seconds =
      warm_up_of(execution.caps(), options.min_time, turn.seconds_waited());
  rules.times.max_seconds = std::max(options.budget, options.min_time);
  rules.stop_noise = options.stop_noise;
  rules.cold = options.cold;
  options.on_stage("timing");
  result.timing = execution.measure(rules);
  if (rules.stop_noise && noise_percent(*result.timing) > *rules.stop_noise) {
    result.noise_missed = rules.stop_noise;
  }
  const double microseconds = median(*result.timing);
  if (microseconds > 0) {
    result.gbps = workload.problem->bytes / (microseconds * 1e3);
    if (workload.problem->flops > 0) result.tflops = workload.problem->flops / (microseconds * 1e6);
  }
  add_baselines(executor, execution, workload, step, options, rules, result);
  add_ceiling(execution, workload, step, options, copies, result);
}

// Fills in the result of the check and the times of a result whose plan can run.
void check_and_time(Executor& executor, const Workload& workload, const RunPlan& plan,
                    const MeasureOptions& options, CopyTimes& copies, Result& result) {
  const bool is_short = workload.problem->seconds_to_check <= 1;
  const gen::Verify verify =
      options.verify.value_or(is_short ? gen::Verify::full : gen::Verify::sample);
  options.on_stage(kBuilding);
  const auto execution = executor.prepare(plan);
  options.on_stage("filling");
  workload.problem->fill(*execution, options.seed);
  options.on_stage(kLaunching);
  {
    const TimingTurn turn(executor.caps());
    execution->run();
  }
  options.on_stage("checking");
  if (verify != gen::Verify::off) {
    const gen::CheckResult checked = workload.problem->check(*execution, verify, options.seed);
    result.mismatches = checked.mismatches;
    result.max_error = checked.max_error;
    result.wrong = checked.first;
    result.verification = to_string(verify);
  }
  if (DeviceExecution* device = execution->on_device()) {
    add_times(executor, *device, workload, plan.steps[plan.main], options, copies, result);
  } else {
    for (const std::string& name : options.baselines) {
      if (is_baseline_of(name, *workload.entry))
        result.no_ratio[name] = "kernels cannot be timed on the host";
    }
  }
  // After the last launch, so that writes outside the buffers are found for every launch.
  const std::string damage = execution->damage();
  if (!damage.empty()) result.wrong += (result.wrong.empty() ? "" : "; ") + damage;
  if (verify != gen::Verify::off || !result.wrong.empty()) result.verified = result.wrong.empty();
}

}  // namespace

Result measure(Executor& executor, const Workload& workload, const MeasureOptions& options,
               CopyTimes& copies) {
  Result result;
  result.kernel = workload.entry->name;
  result.type = workload.problem->type_text;
  result.size = workload.problem->size;
  std::vector<std::string> words = workload.problem->command_words;
  if (options.cold) words.push_back("--cold");
  result.options = shell_line(words);
  result.verification = "off";
  result.command = repeat_command(executor.caps(), workload, options);
  const auto no_type = gen::reasons_against_types(*workload.entry, workload.problem->form);
  if (!no_type.empty()) {
    result.skipped = join(no_type, "; ");
    return result;
  }
  result.skipped = workload.problem->refusal;
  if (!result.skipped.empty()) return result;
  RunPlan plan;
  try {
    plan = plan_on(executor, workload);
  } catch (const KernelError& error) {
    // The order in which lanes hold matrices depends on the device; the config is not at fault.
    const auto& probes = workload.entry->probes;
    if (!probes || probes(workload.request(executor.caps())).empty()) throw;
    result.skipped = join(error.reasons, "; ");
    return result;
  }
  try {
    make_resident(plan, options.resident, executor);
  } catch (const DeviceLacks& error) {
    result.skipped = join(error.reasons, "; ");
    return result;
  }
  if (options.bake) bake_sizes(plan);
  if (!options.specialise.empty()) specialise_sizes(plan, options.specialise);
  result.config = plan.steps[plan.main].kernel.config;
  result.config.insert(result.config.begin(), plan.chosen.begin(), plan.chosen.end());
  result.skipped = join(executor.reasons_against(plan), "; ");
  if (!result.skipped.empty()) return result;
  try {
    check_and_time(executor, workload, plan, options, copies, result);
  } catch (const DeviceError& error) {
    if (error.kind != DeviceError::Kind::kOutOfMemory) throw;
    result.skipped = error.what();
  } catch (const Unavailable& why) {
    result.skipped = why.what();
  }
  return result;
}

std::string repeat_command(const DeviceCaps& device, const Workload& workload,
                           const MeasureOptions& options) {
  std::vector<std::string> words = {options.program, "run"};
  if (workload.subject.empty()) words.push_back(workload.entry->name);
  words.insert(words.end(), workload.subject.begin(), workload.subject.end());
  const auto add = [&](const std::string& name, const std::string& value) {
    words.push_back("--" + name);
    words.push_back(value);
  };
  add("size", size_text(workload.problem->size));
  add("type", workload.problem->type_text);
  const std::vector<std::string> of_work = workload.problem->command_words;
  words.insert(words.end(), of_work.begin(), of_work.end());
  for (const auto& [name, value] : workload.request(device).options) add(name, value);
  const MeasureOptions defaults;
  if (options.bake) words.push_back("--bake");
  if (!options.specialise.empty()) add("specialise", options.specialise);
  if (!options.resident.empty()) add("resident", options.resident);
  if (options.verify) add("verify", to_string(*options.verify));
  if (options.min_time != defaults.min_time) add("min-time", fmt::format("{}", options.min_time));
  if (options.stop_noise) add("stop-noise", fmt::format("{}", *options.stop_noise));
  if (options.budget != defaults.budget) add("budget", fmt::format("{}", options.budget));
  if (options.cold) words.push_back("--cold");
  std::vector<std::string> baselines;  // those that compute the same
  for (const std::string& name : options.baselines) {
    if (is_baseline_of(name, *workload.entry)) baselines.push_back(name);
  }
  if (!baselines.empty()) add("baseline", join(baselines, ","));
  if (options.gate) add("gate", fmt::format("{}", *options.gate));
  if (options.seed != defaults.seed) add("seed", std::to_string(options.seed));
  add("device",
      options.device.empty() ? device.name.substr(0, device.name.find(" (")) : options.device);
  return shell_line(words);
}

}  // namespace vkmoye::bench
