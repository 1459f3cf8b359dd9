// SPDX-License-Identifier: MIT
#pragma once
// One row of `run`: a kernel checked against its definition, then timed.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/program.hpp"
#include "report/report.hpp"
#include "workloads/operation.hpp"

namespace vkmoye::bench {

struct MeasureOptions {
  std::optional<Verify> verify;  // nothing: full where it takes no time, else sample
  double min_time = 0.5;  // seconds of timed work, after as much warm-up, of a GPU 0.3 at least
  std::optional<double> stop_noise;    // see TimingRules
  double budget = 20;                  // seconds of one row's samples, at most
  bool cold = false;                   // caches hold nothing of the arrays before a sample
  std::vector<std::string> baselines;  // of baseline_names, or kernels; each once
  /// What is computed, as typed, for kernels that are baselines: of Operation::options, and
  /// kOptionsOfMeaning.
  gen::Options values = {}, meaning = {};
  std::optional<double> gate;  // the least ratio to each of them
  bool bake = false;           // sizes are numbers in the kernel
  std::uint64_t seed = 1;
  std::string program = program_name();  // as it was typed, for the command that repeats a row
  std::string device;                    // likewise; empty: none was asked for
  /// Told what is done to a row: "building", "checking", "timing", "timing copy".
  std::function<void(const std::string& stage)> on_stage = [](const std::string&) {};
};

/// The command that repeats the row of `workload`, for the user who sees it.
std::string repeat_command(const DeviceCaps& device, const Workload& workload,
                           const MeasureOptions& options);

/// The median time, microseconds, of copy/auto by the bytes that it reads and writes, of those that
/// were timed in this run.
using CopyTimes = std::map<std::uint64_t, double>;

/// Runs `workload`: random input, poisoned output, every element compared (or a sample of them),
/// then samples of its time and of the baselines', where `executor` has a clock. What it cannot run
/// is a row that says why. `copies` has, or gets, the copy that the speed is a percentage of, unless
/// nothing is to be timed longer than needed (min_time 0).
/// Throws KernelError for a bad config, DeviceError if the driver fails.
Row measure(Executor& executor, const Workload& workload, const MeasureOptions& options,
            CopyTimes& copies);

}  // namespace vkmoye::bench
