// SPDX-License-Identifier: MIT
#include "vkmoye/gen/passes/specialised_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/reasons.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::gen {

std::vector<std::string> specialisable_sizes(const ir::Kernel& kernel) {
  std::vector<std::string> names;
  for (const PushConstant& argument : kernel.arguments) {
    const bool is_size = argument.type == ScalarType::u32 && !is_first_group(argument.name);
    if (is_size && !kernel.is_in_buffer(argument.name)) names.push_back(argument.name);
  }
  return names;
}

std::vector<std::string> reasons_against_specialising(
    const std::vector<std::string>& names, const std::vector<const ir::Kernel*>& kernels) {
  std::vector<std::string> known;
  for (const ir::Kernel* kernel : kernels) {
    for (const std::string& name : specialisable_sizes(*kernel)) {
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
    }
  }
  Reasons reasons;
  for (const std::string& name : names) {
    if (std::count(names.begin(), names.end(), name) > 1) {
      reasons.add(fmt::format("{} is named twice", name));
    }
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const bool is_in_buffer =
        std::any_of(kernels.begin(), kernels.end(),
                    [&](const ir::Kernel* kernel) { return kernel->is_in_buffer(name); });
    reasons.add(
        is_in_buffer
            ? fmt::format("{} is read from a buffer, so it is not a constant", name)
            : fmt::format("'{}' is not a size of the kernel ({})", name,
                          known.empty() ? "it has none that is an argument" : join(known, ", ")));
  }
  return std::move(reasons).take();
}

ir::Kernel with_specialised_sizes(const ir::Kernel& kernel, const std::vector<std::string>& names) {
  Reasons reasons;
  if (kernel.hand_written) reasons.add("its shader was written by hand, and cannot be changed");
  if (!kernel.specialised.empty()) reasons.add("it already has specialisation constants");
  if (names.empty()) reasons.add("no size is named");
  reasons.add_all(reasons_against_specialising(names, {&kernel}));
  if (!reasons.empty()) throw ArgumentError(reasons.text("specialise " + kernel.name));
  ir::Kernel out = kernel;
  out.config.emplace_back("specialised", join(names, ","));
  if (!out.command.empty()) out.command += " --specialise " + join(names, ",");
  out.specialised = names;
  return out;
}

}  // namespace vkmoye::gen
