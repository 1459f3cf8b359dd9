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

std::optional<OptionList> options_of_elements(const KernelRequest& request) {
  const bool converts = request.result.value_or(request.type) != request.type;
  OptionList out = {{"type", converts ? operands_text(request.type, *request.result)
                                      : std::string(to_string(request.type))}};
  if (request.shape && request.shape->empty()) return std::nullopt;  // --size has no such shape
  if (request.shape) out.emplace_back("size", fmt::format("{}", fmt::join(*request.shape, "x")));
  return out;
}

std::string emit_command(const std::string& name, const std::optional<OptionList>& problem,
                         const Options& options) {
  if (!problem || find_kernel(name) == nullptr) return "";
  std::string out = "vkmoye-bench emit " + name;
  const auto add = [&](const std::string& option, const std::string& value) {
    out += " --" + option;
    const bool is_plain = value.find_first_of("()<>;*' ") == std::string::npos;
    if (!value.empty()) out += is_plain ? " " + value : " '" + value + "'";
  };
  for (const auto& [option, value] : *problem) add(option, value);
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
