// SPDX-License-Identifier: MIT
#include "vkmoye/contract/compact_strides.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/argument_names.hpp"
#include "vkmoye/contract/specialisation.hpp"

namespace vkmoye {
namespace {

// Whether the extents of `binding` have values.
bool is_known(const Binding& binding, const Arguments& arguments) {
  return std::all_of(binding.extents.begin(), binding.extents.end(), [&](const Extent& extent) {
    const std::vector<std::string> names = extent.arguments();
    return std::all_of(names.begin(), names.end(),
                       [&](const std::string& name) { return arguments.contains(name); });
  });
}

// A stride of one array can be an extent of another.
struct Progress {
  bool has_added = false;   // a stride
  bool is_waiting = false;  // for an extent that a stride depends on
};

void add_strides(const Binding& binding, Arguments& arguments, Progress& progress) {
  Binding before = binding;  // the modes so far, compact
  before.strides.clear();
  before.extents.clear();
  for (std::size_t mode = 0; mode < binding.strides.size(); ++mode) {
    const Extent& stride = binding.strides[mode];
    if (stride.is_argument() && !arguments.contains(stride.symbol)) {
      if (is_known(before, arguments)) {
        arguments[stride.symbol] = element_count(before, arguments);
        progress.has_added = true;
      } else {
        progress.is_waiting = true;
      }
    }
    before.extents.push_back(binding.extents[mode]);
  }
}

// The strides that may be left out: those that are no extents.
std::set<std::string> mere_strides(const KernelInterface& kernel) {
  std::set<std::string> strides;
  for (const Binding& binding : kernel.bindings) {
    for (const Extent& stride : binding.strides) {
      if (stride.is_argument()) strides.insert(stride.symbol);
    }
  }
  for (const Binding& binding : kernel.bindings) {
    for (const Extent& extent : binding.extents) {
      for (const std::string& name : extent.arguments()) strides.erase(name);
    }
  }
  return strides;
}

}  // namespace

Arguments with_compact_strides(const KernelInterface& kernel, Arguments arguments) {
  arguments = with_specialised_values(kernel, std::move(arguments));
  Progress progress;
  do {
    progress = {};
    for (const Binding& binding : kernel.bindings) add_strides(binding, arguments, progress);
  } while (progress.is_waiting && progress.has_added);
  if (!progress.is_waiting) return arguments;
  WrongNames wrong = wrong_names(kernel, arguments);
  const std::set<std::string> strides = mere_strides(kernel);
  std::erase_if(wrong.missing, [&](const std::string& name) { return strides.contains(name); });
  throw ArgumentError(with_reasons(kernel.name, wrong.reasons()));
}

}  // namespace vkmoye
