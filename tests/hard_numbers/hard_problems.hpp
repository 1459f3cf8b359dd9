// SPDX-License-Identifier: MIT
#pragma once
// Problems with hard numbers (gen/numbers/hard.hpp) of each family, for devices and for the twin. A
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
  std::function<bench::Workload(std::int64_t number)> problem;
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
  /// The forms that the quick run takes on a device, of a kernel each; on the twin, thrice as many.
  std::int64_t quick_forms = 3;
};

/// products, epilogues, packs, rows, attention, moves.
const std::vector<HardFamily>& hard_families();

/// Which problems of a family run. They are numbered through all its forms, whichever run.
struct HardSelection {
  static constexpr std::int64_t kAll = std::int64_t{1} << 40;
  std::int64_t problems = kAll;  // the numbers below this
  std::int64_t forms = kAll;     // the first ones
  std::int64_t of_form = kAll;   // the first ones of each form
  bool has_dear = true;          // forms with HardForm::is_dear
  /// Only this one, whatever the others say.
  std::optional<std::int64_t> only = {};
};

/// Problems `begin` to `end` - 1 of `form`, which is form `number` of those that run.
using VisitHardForm = std::function<void(const HardForm& form, std::int64_t number,
                                         std::int64_t begin, std::int64_t end)>;

/// Calls `visit` for each form with problems that run. Throws std::invalid_argument if problem `only` does not exist.
void for_each_form(const HardFamily& family, std::uint64_t seed, const DeviceCaps& caps,
                   const HardSelection& selection, const VisitHardForm& visit);

/// What is wrong with the result of `plan`, that of `problem`, and writes outside it; empty: it is right. Throws
/// bench::Unavailable if `executor` cannot run it.
std::string wrong(bench::Executor& executor, const bench::RunPlan& plan,
                  const bench::Workload& problem, std::uint64_t seed);

/// The command that repeats the problem.
std::string command_of(const bench::Workload& problem, std::uint64_t seed);

}  // namespace vkmoye::test
