// SPDX-License-Identifier: MIT
#include "vkmoye/contract/extent_names.hpp"

#include <utility>

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

}  // namespace vkmoye
