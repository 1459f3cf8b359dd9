// SPDX-License-Identifier: MIT
#include "vkmoye/contract/compact_strides.hpp"

#include <utility>

#include "vkmoye/contract/specialisation.hpp"

namespace vkmoye {

Arguments with_compact_strides(const KernelInterface& kernel, Arguments arguments) {
  arguments = with_specialised_values(kernel, std::move(arguments));
  for (const Binding& binding : kernel.bindings) {
    Binding before = binding;  // the modes so far, compact
    before.strides.clear();
    before.extents.clear();
    for (std::size_t mode = 0; mode < binding.strides.size(); ++mode) {
      const Extent& stride = binding.strides[mode];
      if (stride.is_argument() && !arguments.contains(stride.symbol)) {
        arguments[stride.symbol] = element_count(before, arguments);
      }
      before.extents.push_back(binding.extents[mode]);
    }
  }
  return arguments;
}

}  // namespace vkmoye
