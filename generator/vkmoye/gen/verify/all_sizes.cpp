// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/all_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/gen/proof/reads.hpp"
#include "vkmoye/gen/proof/results.hpp"
#include "vkmoye/gen/verify/trial.hpp"
#include "vkmoye/gen/verify/written.hpp"

namespace vkmoye::gen {
namespace {

using proof::Answer;
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

// `sizes` with steps from row to row that are no smaller than what they step over. They do not matter to a proof, which
// knows elements by their coordinates, but a launch needs them.
Arguments with_steps(const ir::Kernel& kernel, Arguments sizes) {
  const auto value_of = [&](const Extent& extent) {
    std::int64_t value = extent.is_symbol() ? 1 : extent.value;
    for (const std::string& name : extent.arguments()) {
      value *= std::get<std::int64_t>(sizes[name].value);
    }
    return (value + extent.per - 1) / extent.per;
  };
  for (const Binding& binding : interface_of(kernel).bindings) {
    std::int64_t span = 1;
    for (std::size_t i = 0; i < binding.strides.size(); ++i) {
      const Extent& step = binding.strides[i];
      const bool is_argument = step.is_argument();
      if (is_argument && value_of(step) < span) sizes[step.symbol] = span;
      span = std::max(span, value_of(step) * value_of(binding.extents[i]));
    }
  }
  return sizes;
}

}  // namespace

Obligations obligations_of(const ir::Kernel& kernel) {
  Obligations out;
  out.written = arrays_written_before_read(kernel);
  out.of_reads = proof::prove_reads(kernel, out.written);
  out.of_results = proof::prove_results(kernel);
  return out;
}

std::vector<std::string> check_all_sizes(const ir::Kernel& kernel,
                                         const Obligations& all_obligations) {
  std::vector<std::string> reasons;
  // Follows the launch that refutes a claim; whether it may be one, and nothing wrong is found in it.
  const auto follow = [&](const Obligation& obligation, bool is_whole) {
    Arguments sizes;
    for (const auto& [name, value] : obligation.arguments) sizes[name] = value;
    TrialReport trial{.is_whole = is_whole};
    if (can_be_followed(kernel, sizes)) trial = try_at(kernel, with_steps(kernel, sizes));
    if (trial.is_launch) reasons = trial.reasons;
    return std::pair(std::move(trial), text_of(sizes));
  };
  for (const Obligation& obligation : all_obligations.of_results) {
    if (!reasons.empty()) return reasons;
    if (obligation.answer == Answer::inexact) {
      reasons = {
          fmt::format("not proved: {}: {}; if it holds, assert it with assume_written, and why",
                      obligation.claim, obligation.why)};
    }
    if (obligation.answer != Answer::refuted) continue;
    const auto [trial, sizes] = follow(obligation, /*is_whole=*/false);
    if (trial.breaks_assumption) {
      reasons = {fmt::format("not proved: {}: {}; the sizes that refute it break an assumption: {}",
                             obligation.claim, obligation.why, trial.reasons.front())};
    } else if (trial.is_launch && reasons.empty() && !trial.is_whole) {
      reasons = {obligation.why + sizes};
    }
  }
  // The sets of reads are not exact where a write is left out of them: a counterexample is a size to try.
  for (const Obligation& obligation : all_obligations.of_reads) {
    if (!reasons.empty()) return reasons;
    if (obligation.answer == Answer::refuted) follow(obligation, /*is_whole=*/true);
  }
  return reasons;
}

}  // namespace vkmoye::gen
