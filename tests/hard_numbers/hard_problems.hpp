// SPDX-License-Identifier: MIT
#pragma once
// Problems with hard numbers (tools/vkmoye-bench/numbers/hard.hpp) of each family, for devices and for the twin. A
// problem is a bench::Workload: it has the kernel, the arrays, the definition in f64 and the bound of the error.
//
//   problem 0 .. 49      one form: kernel, config and options; sizes and numbers vary
//   problem 50 .. 99     the next form
//
// A form is described and verified once, which takes most of the time.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "devices/execution.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::test {

struct HardForm {
  /// Makes problem `number`, which must not outlive the form.
  std::function<std::unique_ptr<bench::Workload>(std::int64_t number)> problem;
  std::int64_t count = 50;  // problems
  /// Whether it takes seconds on the twin: matrix units, and plans, whose other kernels are described for each problem.
  bool is_dear = false;
};

struct HardFamily {
  std::string name;
  /// Form `number`; nullopt if the device lacks something for it, or its compiler takes too long.
  std::function<std::optional<HardForm>(std::uint64_t seed, std::int64_t number,
                                        const DeviceCaps& caps)>
      form;
};

/// products, epilogues, packs, rows, attention, moves.
const std::vector<HardFamily>& hard_families();

/// What is wrong with the result of `plan`, that of `problem`, and writes outside it; empty: it is right. Throws
/// bench::Unavailable if `executor` cannot run it.
std::string wrong(bench::Executor& executor, const bench::RunPlan& plan,
                  const bench::Workload& problem, std::uint64_t seed);

/// The command that repeats the problem.
std::string command_of(const bench::Workload& problem, std::uint64_t seed);

}  // namespace vkmoye::test
