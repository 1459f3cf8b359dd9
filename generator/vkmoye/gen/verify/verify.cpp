// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/verify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/reasons.hpp"
#include "vkmoye/gen/ir/grid_barrier.hpp"
#include "vkmoye/gen/ir/identical.hpp"
#include "vkmoye/gen/proof/results.hpp"
#include "vkmoye/gen/verify/accepted_kernels.hpp"
#include "vkmoye/gen/verify/exact_values.hpp"
#include "vkmoye/gen/verify/fragment_orders.hpp"
#include "vkmoye/gen/verify/races.hpp"
#include "vkmoye/gen/verify/scope.hpp"
#include "vkmoye/gen/verify/trial.hpp"
#include "vkmoye/gen/verify/written_before_read.hpp"

namespace vkmoye::gen {
namespace {

using proof::Decision;
using proof::Obligation;

// The most elements of a launch that is followed for its numbers.
constexpr std::uint64_t kMaxFollowedElements = std::uint64_t{1} << 22;

// Whether no extent of a launch at `sizes` is beyond what can be followed.
bool can_be_followed(const ir::Kernel& kernel, const Arguments& sizes) {
  for (const Binding& binding : interface_of(kernel).bindings) {
    double elements = 1;
    for (const Extent& extent : binding.extents) {
      for (const std::string& name : extent.arguments()) {
        const auto found = sizes.find(name);
        if (found == sizes.end()) return false;
        elements *= static_cast<double>(std::get<std::int64_t>(found->second.value));
      }
      elements /= static_cast<double>(extent.per);
    }
    if (elements > kMaxFollowedElements) return false;
  }
  return true;
}

// Reasons at sizes that are 1, or 0: conditions fail there, and loops have no round.
std::vector<std::string> reasons_at_small_sizes(const ir::Kernel& kernel) {
  for (const std::int64_t size : {1, 0}) {
    Arguments sizes;
    for (const PushConstant& argument : kernel.arguments) {
      if (argument.type == ScalarType::u32 && !is_first_group(argument.name))
        sizes[argument.name] = size;
    }
    TrialReport trial = try_at(kernel, with_strides(kernel, sizes));
    if (trial.is_launch && !trial.reasons.empty()) return std::move(trial.reasons);
  }
  return {};
}

// Why an element of a result is not written, or is touched by two invocations, or why something is read that was not
// written; with the sizes at which this shows. Also what is neither proved nor refuted, unless the author assumes it.
std::vector<std::string> check_all_sizes(const ir::Kernel& kernel) {
  std::vector<Obligation> obligations = proof::prove_results(kernel);
  for (Obligation& one : prove_reads(kernel)) obligations.push_back(std::move(one));
  for (const Obligation& obligation : obligations) {
    if (obligation.decision == Decision::proved || obligation.decision == Decision::assumed)
      continue;
    std::string why = obligation.why;
    if (obligation.decision == Decision::refuted) {
      // The launch shows what is wrong best.
      Arguments sizes;
      for (const auto& [name, value] : obligation.arguments) sizes[name] = value;
      TrialReport trial{.is_whole = false};
      if (can_be_followed(kernel, sizes)) trial = try_at(kernel, with_strides(kernel, sizes));
      if (trial.is_launch && !trial.reasons.empty()) return trial.reasons;
      if (trial.is_launch && !trial.is_whole) return {why + text_of(sizes)};
      why += text_of(sizes);
      if (trial.breaks_assumption) {
        why = fmt::format("{}; the sizes that refute it break an assumption: {}", obligation.why,
                          trial.reasons.front());
      }
    }
    const ir::Array* array = kernel.find(obligation.array);
    if (array != nullptr && !array->is_buffer()) {
      std::vector<std::string> reasons = reasons_at_small_sizes(kernel);
      if (!reasons.empty()) return reasons;
    }
    // Not each element of an array that is changed in place need be written.
    const bool is_in_place =
        array != nullptr && array->is_buffer() && array->access == vkmoye::Access::read_write;
    return {fmt::format("not proved: {}: {}; if it holds, assert it with {}, and why",
                        obligation.claim, why, is_in_place ? "assume_distinct" : "assume_written")};
  }
  return {};
}

// Each phase is a kernel, so what is proved of its launch holds between two grid barriers.
std::vector<std::string> check_phases(const ir::Kernel& kernel) {
  std::vector<std::string> reasons = ir::reasons_against_phases(kernel);
  if (!reasons.empty()) return reasons;
  for (const ir::Kernel& phase : ir::phases_of(kernel)) {
    for (const std::string& reason : verify(phase)) reasons.push_back(phase.name + ": " + reason);
  }
  return reasons;
}

// Following a kernel with undefined names, or at sizes when it is wrong at all of them, would only
// repeat what is said already. Sizes are tried where all is proved, too: the twin does not rely on what proofs find out
// about loops and sizes.
std::vector<std::string> check(const ir::Kernel& kernel) {
  if (ir::has_phases(kernel)) return check_phases(kernel);
  std::vector<std::string> reasons = check_scope(kernel);
  add_all(reasons, check_exact_values(kernel));
  if (reasons.empty()) reasons = check_fragment_orders(kernel);
  if (reasons.empty()) reasons = check_shared_memory(kernel);
  if (!reasons.empty()) return reasons;
  Trials trials = try_sizes(kernel);
  if (!trials.reasons.empty() || trials.are_all) return std::move(trials.reasons);
  return check_all_sizes(kernel);
}

}  // namespace

std::vector<std::string> verify(const ir::Kernel& kernel) {
  if (kernel.verified && ir::identical(*kernel.verified, kernel)) return {};
  if (kernel.hand_written) return check_scope(kernel);
  if (accepted_kernels().contains(kernel)) return {};
  std::vector<std::string> reasons = check(kernel);
  if (reasons.empty()) accepted_kernels().add(kernel);
  return reasons;
}

bool are_unproved(const std::vector<std::string>& reasons) {
  return std::all_of(reasons.begin(), reasons.end(),
                     [](const std::string& reason) { return reason.starts_with("not proved: "); });
}

}  // namespace vkmoye::gen
