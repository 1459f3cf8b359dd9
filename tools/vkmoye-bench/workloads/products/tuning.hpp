// SPDX-License-Identifier: MIT
#pragma once
// A search for the fastest kernel and config of one product, within a budget of time.
//
//   what gemm/auto chose before, then gemm_candidates(), each:
//     refused, distrusted or spilling    left out
//     run on a small product, compared   left out where it is wrong
//     run on the product itself, timed
//   the fastest few, and the choice before, timed once more

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/kernels/products/choice/choice.hpp"
#include "vkmoye/runtime/timing.hpp"
#include "workloads/devices/device_executor.hpp"
#include "workloads/products/problem.hpp"

namespace vkmoye::bench {

struct TunedConfig {
  gen::GemmChoice choice;
  std::vector<std::pair<std::string, std::string>> config;  // of its kernel, all of it
  Timing timing;
  double median_us = 0;
};

struct Tuning {
  std::vector<TunedConfig> timed;  // the fastest first; empty: nothing ran
  gen::GemmChoice before;          // what gemm/auto chose
  double before_us = 0;            // its median; 0: it did not run
  /// A line each: the config and why.
  std::vector<std::string> refused, spilling, wrong;
  std::size_t not_tried = 0;   // for lack of time
  bool checked_small = false;  // results were checked of a smaller product of the same kernels
};

struct TuneOptions {
  double budget_seconds = 60;  // at least the choice before is timed
  std::uint64_t seed = 1;
  std::function<void(const std::string& config)> on_trial = [](const std::string&) {};
};

/// Throws DeviceError if the driver fails.
Tuning tune_gemm(DeviceExecutor& executor, const GemmProblem& problem, const Extents& size,
                 const TuneOptions& options);

/// The line of a table for `problem` with `size`, and no other.
std::string tuned_row(const Tuning& tuning, const GemmProblem& problem, const Extents& size);

}  // namespace vkmoye::bench
