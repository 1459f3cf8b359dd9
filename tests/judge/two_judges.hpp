// SPDX-License-Identifier: MIT
#pragma once
// One launch on the host twin and on the SPIR-V interpreter: the faults that each finds, and whether the results agree.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "judge/judged_kernel.hpp"
#include "judge/spirv/launch.hpp"
#include "vkmoye/contract/compiled_kernel.hpp"

namespace vkmoye::judge {

struct Both {
  /// The two results: identical; equal except for the rounding of sums and of functions such as exp; or different.
  enum class Results : std::uint8_t { same, rounded, different };

  bool launched = true;           // false: the twin needs too many steps, or the launch is invalid
  std::vector<std::string> twin;  // the faults that it found
  spirv::Report judge;
  Results results = Results::same;
  std::string difference = {};  // the first
};

/// `compiled` is the compiled `kernel`.
Both judge_both(const gen::ir::Kernel& kernel, const CompiledKernel& compiled,
                const Arguments& sizes, const Buffers& before);

/// Why the kernel is not sound, one line for each reason: a fault that either found, or different results. Empty: it is
/// sound, or was not launched.
std::string reasons_against(const Both& both);

/// The totals of a test, for its table.
struct Tally {
  std::size_t kernels = 0, launches = 0, not_launched = 0, same = 0, rounded = 0;
  std::uint64_t accesses = 0, operations = 0;
  std::map<std::string, std::size_t> skipped = {};  // kernels, by reason
  std::map<std::string, std::size_t> faults = {};   // found by the interpreter, by kind

  void count(const Both& both);
  void print(const std::string& title) const;
};

}  // namespace vkmoye::judge
