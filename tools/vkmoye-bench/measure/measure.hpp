// SPDX-License-Identifier: MIT
#pragma once
// One result of `run`: checks a kernel against its definition, then times it.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/program.hpp"
#include "report/report.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {

/// The stage in which the driver compiles, for MeasureOptions::on_stage.
inline constexpr const char *kBuilding = "building", *kLaunching = "launching";

struct MeasureOptions {
  std::optional<gen::Verify>
      verify;  // nullopt: full if that takes about a second at most, else sample
  /// Seconds of timed work. The warm-up takes as long, and at least 0.3 s on a GPU.
  double min_time = 0.5;
  std::optional<double> stop_noise;  // see TimingRules
  double budget = 20;                // the longest time for the samples of one result, in seconds
  bool cold = false;                 // caches are flushed before each sample
  /// Names of baseline_names() or of kernels, without duplicates.
  std::vector<std::string> baselines;
  /// The options of the problem as typed, for baselines that are kernels: those of Operation::options, and those of
  /// problem_options.
  gen::Options values = {}, problem_config = {};
  std::optional<double> gate;  // the least ratio to each baseline
  bool bake = false;           // sizes are constants in the kernel
  /// Sizes that are specialisation constants of the kernel, see specialise_sizes; empty: none.
  std::string specialise;
  /// Whether the steps of a plan are one launch, see make_resident.
  std::string resident;
  std::uint64_t seed = 1;
  std::string program = program_name();  // as typed, for repeat_command
  std::string device;                    // as typed; empty: not given
  /// Called at the start of each stage: kBuilding, "filling", kLaunching (for the first time),
  /// "checking", "timing", "timing copy".
  std::function<void(const std::string& stage)> on_stage = [](const std::string&) {};
};

/// The median time in microseconds of each copy timed in this run, by the bytes that it reads and writes.
using CopyTimes = std::map<std::uint64_t, double>;

/// Runs `workload` on random inputs and poisoned outputs, and checks every element, or a sample. Then times it and the
/// baselines, if `executor` has a clock. If the workload cannot run, Result::skipped has the reason. For memory-bound
/// kernels, the speed is also given as a percentage of a copy, whose time is taken from `copies`, or measured and added
/// to it; not measured if min_time is 0.
/// Throws KernelError for an invalid config, DeviceError if the driver fails.
Result measure(Executor& executor, const Workload& workload, const MeasureOptions& options,
               CopyTimes& copies);

/// The command that repeats the measurement of `workload`.
std::string repeat_command(const DeviceCaps& device, const Workload& workload,
                           const MeasureOptions& options);

}  // namespace vkmoye::bench
