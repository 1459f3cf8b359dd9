// SPDX-License-Identifier: MIT
#include "vkmoye/contract/specialisation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/reasons.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye {

bool is_specialised(const KernelInterface& kernel, std::string_view name) {
  return std::any_of(kernel.specialised.begin(), kernel.specialised.end(),
                     [&](const SpecialisedArgument& one) { return one.name == name; });
}

std::vector<std::string> reasons_against_specialised(const KernelInterface& kernel,
                                                     const Arguments& arguments) {
  std::vector<std::string> reasons;
  for (const SpecialisedArgument& argument : kernel.specialised) {
    const auto found = arguments.find(argument.name);
    if (found == arguments.end()) {
      reasons.push_back(fmt::format(
          "'{}' is a specialisation constant, and has no value to load it with", argument.name));
      continue;
    }
    const auto* whole = std::get_if<std::int64_t>(&found->second.value);
    if (whole == nullptr || *whole < 1 || *whole > std::numeric_limits<std::uint32_t>::max()) {
      reasons.push_back(fmt::format("the specialisation constant {} = {} is outside 1..2^32-1",
                                    argument.name, to_string(found->second)));
    }
  }
  return reasons;
}

KernelInterface specialised(KernelInterface kernel, const Arguments& values) {
  Reasons reasons;
  reasons.add_all(reasons_against_specialised(kernel, values));
  std::vector<std::string> names;
  for (const SpecialisedArgument& argument : kernel.specialised) names.push_back(argument.name);
  for (const auto& [name, value] : values) {
    if (is_specialised(kernel, name)) continue;
    reasons.add(fmt::format("'{}' is not a specialisation constant of it ({})", name,
                            names.empty() ? "it has none" : join(names, ", ")));
  }
  if (!reasons.empty()) throw ArgumentError(reasons.text(kernel.name));
  for (SpecialisedArgument& argument : kernel.specialised) {
    argument.value = static_cast<std::uint32_t>(
        std::get<std::int64_t>(values.find(argument.name)->second.value));
  }
  return kernel;
}

Arguments specialised_among(const KernelInterface& kernel, const Arguments& arguments) {
  Arguments out = arguments;
  std::erase_if(out, [&](const auto& one) { return !is_specialised(kernel, one.first); });
  return out;
}

Arguments with_specialised_values(const KernelInterface& kernel, Arguments arguments) {
  for (const SpecialisedArgument& argument : kernel.specialised) {
    if (argument.value) arguments.emplace(argument.name, *argument.value);
  }
  return arguments;
}

}  // namespace vkmoye
