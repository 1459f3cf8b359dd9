// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/choice/choose.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kFewRows = 8, kManyKeys = 256;

struct Candidate {
  const char* name;
  const char* why;
  // Why the call, with q of that type, is not for it; empty if it is.
  std::string (*unmet)(const AttentionCall&, ScalarType);
};

constexpr Candidate kCandidates[] = {
    {"attention/decode", "few rows read many keys",
     [](const AttentionCall& call, ScalarType) -> std::string {
       if (call.rows() > kFewRows) {
         return fmt::format("{} rows share a head of K and V, more than {}", call.rows(), kFewRows);
       }
       if (call.keys >= kManyKeys) return "";
       return fmt::format("{} keys are fewer than {}", call.keys, kManyKeys);
     }},
    {"attention/coopmat", "products in matrix units",
     [](const AttentionCall& call, ScalarType type) -> std::string {
       const AttentionForm& form = call.form;
       const auto is_wider = [&](const WeightFormat* format, ScalarType of) {
         return format == nullptr && of != type && type == ScalarType::f16;
       };
       const bool fit = !is_wider(form.key_format, key_type(type, form)) &&
                        !is_wider(form.value_format, value_type(type, form));
       return fit ? "" : "keys or values may be outside the range of f16";
     }},
    {"attention/simt", "any device",
     [](const AttentionCall&, ScalarType) { return std::string(); }},
};

}  // namespace

std::string no_options_of_a_choice(const Options& options) {
  return fmt::format(
      "--{} is an option of the kernel that attention/auto chooses; name that kernel to change it",
      options.begin()->first);
}

KernelRequest request_of(const AttentionCall& call, ScalarType type, const DeviceCaps& device,
                         Options options) {
  return {TypedAttention{call, type}, std::move(options), device};
}

AttentionChoice choose_attention(const KernelRequest& request, const AttentionRefusal& refuse) {
  const auto form = form_of_kind<TypedAttention>(request.form, "attention/auto");
  throw_if_any("attention/auto", reasons_against(form));
  std::vector<std::string> passed;
  for (const Candidate& candidate : kCandidates) {
    const KernelEntry& entry = *find_kernel(candidate.name);
    std::vector<std::string> reasons = reasons_against_types(entry, form);
    if (std::string unmet = candidate.unmet(form, form.type); !unmet.empty()) {
      reasons.push_back(std::move(unmet));
    }
    try {
      if (reasons.empty()) reasons = entry.refuse(request);
      if (reasons.empty() && refuse) reasons = refuse(entry);
    } catch (const KernelError& error) {
      reasons = error.reasons;
    }
    if (reasons.empty()) return {&entry, candidate.why, std::move(passed)};
    passed.push_back(fmt::format("{}: {}", entry.name, join(reasons, "; ")));
  }
  throw KernelError("attention/auto", std::move(passed));
}

KernelPlan attention_plan(const KernelEntry& entry, const KernelRequest& request) {
  const auto form = form_of_kind<TypedAttention>(request.form, entry.name);
  if (entry.in_slices) return entry.in_slices(request);
  KernelPlan plan;
  plan.arrays = attention_arrays(form, form.type);
  std::vector<std::size_t> all(plan.arrays.size());
  std::iota(all.begin(), all.end(), 0);
  plan.steps = {{entry.describe(request), attention_arguments(form), all}};
  return plan;
}

KernelPlan attention_plan(const AttentionCall& call, ScalarType type, const DeviceCaps& device) {
  const KernelRequest request = request_of(call, type, device);
  KernelPlan plan;
  choose_attention(request, [&](const KernelEntry& entry) {
    plan = attention_plan(entry, request);
    return reasons_against(plan, device);
  });
  return plan;
}

}  // namespace vkmoye::gen
