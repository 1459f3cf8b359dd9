// SPDX-License-Identifier: MIT
#pragma once
// Searches the fastest kernel and config for one product, within a time budget.
//
//   for the current choice of gemm/auto, then each of gemm_candidates():
//     leave it out if it is refused, distrusted or spills registers
//     run it on a small product and verify it; leave it out if it is wrong
//     time it on the product itself
//   time the fastest few and the current choice again

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "devices/device_executor.hpp"
#include "vkmoye/gen/kernels/products/choice/choose_gemm.hpp"
#include "vkmoye/gen/problems/products/options.hpp"
#include "vkmoye/runtime/timing.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {

struct TunedConfig {
  gen::GemmChoice choice;
  std::vector<std::pair<std::string, std::string>> config;  // the whole config of the kernel
  Timing timing;
  double median_us = 0;
};

struct Tuning {
  std::vector<TunedConfig> timed;  // fastest first; empty: nothing ran
  gen::GemmChoice before;          // the choice of gemm/auto so far
  double before_us = 0;            // its median; 0: it did not run
  /// One line each: the config and the reason.
  std::vector<std::string> refused, spilling, wrong;
  std::size_t not_tried = 0;   // because the budget ran out
  bool checked_small = false;  // results were verified on a smaller product
};

/// A config that is about to be tried.
struct TuneTrial {
  std::string config;
  std::size_t number = 0, count = 0;  // from 1, of this round of the search
  double seconds_left = 0;            // of the search, at most
};

struct TuneOptions {
  double budget_seconds = 60;  // at least the current choice is timed
  std::uint64_t seed = 1;
  std::function<void(const TuneTrial&)> on_trial = [](const TuneTrial&) {};
  /// Called whenever a config was timed, with all that is known so far: the best of it is kept if a signal ends the
  /// program.
  std::function<void(const Tuning& so_far)> on_timed = [](const Tuning&) {};
};

/// The product computed by the kernel of `choice`.
Workload workload_by(const gen::GemmChoice& choice, const gen::GemmOptions& options,
                     const Extents& size);

/// Throws DeviceError if the driver fails.
Tuning tune_gemm(DeviceExecutor& executor, const gen::GemmOptions& problem, const Extents& size,
                 const TuneOptions& options);

/// The entry of a table for `problem` with exactly this `size`.
gen::GemmTableEntry tuned_entry(const Tuning& tuning, const gen::GemmOptions& problem,
                                const Extents& size);

}  // namespace vkmoye::bench
