// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/all_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/gen/proof/reads.hpp"
#include "vkmoye/gen/proof/results.hpp"
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
  for (const auto* list : {&all_obligations.of_results, &all_obligations.of_reads}) {
    // The sets of reads are not exact where a write is left out of them: a counterexample is a size to try.
    const bool are_exact = list == &all_obligations.of_results;
    for (const Obligation& obligation : *list) {
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
        if (trial.is_launch && are_exact && !trial.is_whole) return {why + text_of(sizes)};
        why += text_of(sizes);
        if (trial.breaks_assumption) {
          why = fmt::format("{}; the sizes that refute it break an assumption: {}", obligation.why,
                            trial.reasons.front());
        }
      }
      // Not each element of an array that is changed in place need be written.
      const ir::Array* array = kernel.find(obligation.array);
      const bool is_in_place =
          array != nullptr && array->is_buffer() && array->access == vkmoye::Access::read_write;
      return {fmt::format("not proved: {}: {}; if it holds, assert it with {}, and why",
                          obligation.claim, why,
                          is_in_place ? "assume_distinct" : "assume_written")};
    }
  }
  return {};
}

}  // namespace vkmoye::gen
