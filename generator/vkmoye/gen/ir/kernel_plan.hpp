// SPDX-License-Identifier: MIT
#pragma once
// A plan whose kernels are described but not compiled; compile.hpp turns it into a CompiledPlan.

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/contract/compiled_plan.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// A step that runs a described kernel.
using KernelStep = PlanStep<ir::Kernel>;

struct KernelPlan : PlanOf<ir::Kernel> {
  std::size_t main = 0;        // the step that does most of the work
  std::size_t beforehand = 0;  // steps at the start that run only once: they pack weights
  /// What a kernel that chooses another one has chosen, and why, a line for each reason.
  std::vector<std::pair<std::string, std::string>> chosen = {};
  std::vector<std::string> why = {};
  /// Steps that are missing, and why, one line each: see PlanOptions.
  std::vector<std::string> left_out = {};
};

/// Adds the steps of `plan` to `to`, with array number arrays[i] of `to` in place of array i of `plan`. Scratch of
/// `plan` becomes scratch of `to`.
/// Preconditions: `to` has all its arrays; no step of `plan` runs beforehand.
void append(KernelPlan& to, const KernelPlan& plan, std::span<const std::size_t> arrays);

}  // namespace vkmoye::gen
