// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/entries.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/kernels/relayout_entries.hpp"

namespace vkmoye::gen {

std::span<const KernelEntry> registry() {
  static const std::vector<KernelEntry> entries = [] {
    std::vector<KernelEntry> out;
    for (auto* family :
         {move_entries, relayout_entries, row_entries, attention_entries, product_entries}) {
      for (KernelEntry& entry : family()) out.push_back(std::move(entry));
    }
    return out;
  }();
  return entries;
}

const KernelEntry* find_kernel(const std::string& name) {
  for (const KernelEntry& entry : registry()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

std::string suggested_kernels(const std::string& word, const std::vector<std::string>& names) {
  if (const std::string near = did_you_mean(word, names); !near.empty()) {
    return " (did you mean '" + near + "'?)";
  }
  std::vector<std::string> families;
  for (const std::string& name : names) {
    if (name.ends_with("/" + word)) return " (did you mean '" + name + "'?)";  // the variant alone
    families.push_back(name.substr(0, name.find('/')));
  }
  std::string family = word.substr(0, word.find('/')), suggestion;
  if (std::find(families.begin(), families.end(), family) == families.end()) {
    family = did_you_mean(family, families);
    if (family.empty()) return "";
    suggestion = " (did you mean '" + family + "'?)";
  }
  std::vector<std::string> variants;
  for (const std::string& name : names) {
    if (name.starts_with(family + "/")) variants.push_back(name.substr(family.size() + 1));
  }
  return fmt::format("{}; {}/ has {}", suggestion, family, join(variants, " "));
}

const KernelEntry& kernel_named(const std::string& name) {
  if (const KernelEntry* entry = find_kernel(name)) return *entry;
  std::vector<std::string> names;
  for (const KernelEntry& entry : registry()) names.push_back(entry.name);
  throw ArgumentError(fmt::format("no kernel '{}'{}", name, suggested_kernels(name, names)));
}

}  // namespace vkmoye::gen
