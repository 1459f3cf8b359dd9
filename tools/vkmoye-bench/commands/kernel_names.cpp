// SPDX-License-Identifier: MIT
#include "commands/kernel_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/parse.hpp"
#include "io/program.hpp"
#include "registry/operations.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {

std::string nearest_kernels(const std::string& word) {
  std::vector<std::string> names;
  for (const gen::KernelEntry& entry : registry_in_use().kernels) names.push_back(entry.name);
  return gen::suggested_kernels(word, names);
}

std::vector<const gen::KernelEntry*> find_kernels(const std::vector<std::string>& patterns) {
  std::vector<const gen::KernelEntry*> found;
  for (const std::string& pattern : patterns) {
    const std::size_t before = found.size();
    for (const gen::KernelEntry& entry : registry_in_use().kernels) {
      const bool again = std::find(found.begin(), found.end(), &entry) != found.end();
      if (matches(pattern, entry.name) && !again) found.push_back(&entry);
    }
    const bool named_before = std::any_of(found.begin(), found.end(), [&](const auto* entry) {
      return matches(pattern, entry->name);
    });
    if (found.size() > before || named_before) continue;
    throw ArgumentError(fmt::format("no kernel '{}'{}; '{} list' shows all kernels", pattern,
                                    nearest_kernels(pattern), program_name()));
  }
  return found;
}

const gen::KernelEntry& find_one_kernel(const std::string& name) {
  const auto found = find_kernels({name});
  if (found.size() > 1) {
    throw ArgumentError(
        fmt::format("'{}' matches {} kernels, but exactly one is needed", name, found.size()));
  }
  return *found.front();
}

}  // namespace vkmoye::bench
