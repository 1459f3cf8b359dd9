// SPDX-License-Identifier: MIT
#include "vkmoye/contract/argument_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "vkmoye/base/text.hpp"

namespace vkmoye {
std::set<std::string> extent_names(const KernelInterface& kernel) {
  std::set<std::string> names;
  const auto add = [&](const Extent& extent) {
    for (std::string& name : extent.arguments()) names.insert(std::move(name));
  };
  for (const Binding& binding : kernel.bindings) {
    for (const Extent& extent : binding.extents) add(extent);
    for (const Extent& stride : binding.strides) add(stride);
  }
  for (const GridDimension& dimension : kernel.grid) add(dimension.extent);
  return names;
}

std::vector<std::string> argument_names(const KernelInterface& kernel) {
  std::set<std::string> names = extent_names(kernel);
  for (const PushConstant& constant : kernel.push_constants) {
    if (!is_set_by_runtime(constant)) names.insert(constant.name);
  }
  for (const SpecialisedArgument& argument : kernel.specialised) names.erase(argument.name);
  return {names.begin(), names.end()};
}

std::vector<std::string> WrongNames::reasons() const {
  std::vector<std::string> reasons;
  for (const std::string& name : missing) {
    reasons.push_back(fmt::format("argument '{}' is missing", name));
  }
  reasons.insert(reasons.end(), unknown.begin(), unknown.end());
  return reasons;
}

WrongNames wrong_names(const KernelInterface& kernel, const Arguments& arguments) {
  std::vector<std::string> names = argument_names(kernel);
  for (const SpecialisedArgument& argument : kernel.specialised) {
    names.insert(std::lower_bound(names.begin(), names.end(), argument.name), argument.name);
  }
  WrongNames out;
  for (const std::string& name : names) {
    if (!arguments.contains(name)) out.missing.push_back(name);
  }
  for (const auto& [name, value] : arguments) {
    if (std::binary_search(names.begin(), names.end(), name)) continue;
    const std::string near = did_you_mean(name, names);
    out.unknown.push_back(
        fmt::format("unknown argument '{}'{}", name,
                    near.empty() ? "" : fmt::format(", did you mean '{}'?", near)));
  }
  return out;
}

std::string reason_against_whole(const std::string& name, const Argument& argument,
                                 std::int64_t min, std::int64_t max) {
  const std::string given = fmt::format("argument {} = {}", name, to_string(argument));
  const auto* whole = std::get_if<std::int64_t>(&argument.value);
  if (whole != nullptr) {
    return *whole >= min && *whole <= max ? ""
                                          : fmt::format("{} is outside {}..{}", given, min, max);
  }
  const double number = std::get<double>(argument.value);
  return given + (number == std::floor(number)
                      ? " is a floating-point number, and must be an integer"
                      : " is not a whole number");
}

}  // namespace vkmoye
