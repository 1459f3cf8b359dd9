// SPDX-License-Identifier: MIT
#include <utility>

#include "vkmoye/gen/kernels/attention_entries.hpp"
#include "vkmoye/gen/kernels/move_entries.hpp"
#include "vkmoye/gen/kernels/product_entries.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/kernels/relayout_entries.hpp"
#include "vkmoye/gen/kernels/row_entries.hpp"

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

}  // namespace vkmoye::gen
