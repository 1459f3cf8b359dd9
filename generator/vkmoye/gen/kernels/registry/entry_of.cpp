// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/registry/entry_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vkmoye::gen {

KernelRequest request_of(ScalarType type, Options options) {
  return {.type = type, .options = std::move(options), .gemm = gemm_form(type)};
}

std::vector<ScalarType> every_type() {
  std::vector<ScalarType> types;
  for (const ScalarTypeInfo& row : scalar_types()) types.push_back(row.type);
  return types;
}

std::vector<std::string> reasons_against_type(const std::vector<ScalarType>& types,
                                              ScalarType type) {
  if (std::find(types.begin(), types.end(), type) != types.end()) return {};
  std::vector<std::string> names;
  for (const ScalarType other : types) names.emplace_back(to_string(other));
  return {fmt::format("the kernel does not support {}; it supports {}", to_string(type),
                      join(names, " "))};
}

std::string emit_command(const std::string& name, const KernelRequest& request,
                         const Options& options) {
  const KernelEntry* entry = find_kernel(name);
  if (entry == nullptr) return "";
  std::string out = "vkmoye-bench emit " + name;
  const auto add = [&](const std::string& option, const std::string& value) {
    const bool is_plain = value.find_first_of("()<>;*' ") == std::string::npos;
    out += fmt::format(fmt::runtime(is_plain ? " --{} {}" : " --{} '{}'"), option, value);
  };
  const GemmForm& form = request.gemm;
  if (entry->operation == "gemm") {
    std::vector<std::string> steps;
    for (const EpilogueOp& step : form.epilogue) {
      if (find_epilogue_op(step.name) == nullptr) return "";
      steps.push_back(step.arguments.empty() ? step.name : step.name + ":1");
    }
    add("type", fmt::format("{},{},{}", operands_text(form), to_string(form.accumulator),
                            to_string(form.result)));
    if (!form.a_k_contiguous) add("a", "m");
    if (!form.b_k_contiguous) add("b", "n");
    if (form.beta) add("beta", "1");
    if (form.batched) add("batch", "2");
    if (form.split_k) add("split-k", "2");
    if (!steps.empty()) add("epilogue", join(steps, ","));
  } else if (entry->operation == "attention") {
    const AttentionForm& attention = request.attention.form;
    add("type", std::string(to_string(request.type)));
    if (attention.width != 64) add("size", fmt::format("1024x1024x{}", attention.width));
    if (attention.value_width != attention.width) {
      add("value-width", std::to_string(attention.value_width));
    }
    if (attention.causal) out += " --causal";
    if (attention.window) add("window", "256");
    if (attention.soft_cap) add("soft-cap", "50");
  } else {
    const bool converts = request.result.value_or(request.type) != request.type;
    add("type", converts ? operands_text(request.type, *request.result)
                         : std::string(to_string(request.type)));
    if (request.shape && request.shape->empty()) return "";  // --size cannot say it
    if (request.shape) add("size", fmt::format("{}", fmt::join(*request.shape, "x")));
  }
  for (const auto& [option, value] : options) add(option, value);
  return out;
}

std::vector<std::string> reasons_against_types(const KernelEntry& entry,
                                               const KernelRequest& request) {
  std::vector<std::string> reasons = reasons_against_type(entry.types, request.type);
  if (!entry.converts && request.result.value_or(request.type) != request.type) {
    reasons.push_back(fmt::format("the kernel does not convert {} to {}", to_string(request.type),
                                  to_string(*request.result)));
  }
  return reasons;
}

}  // namespace vkmoye::gen
