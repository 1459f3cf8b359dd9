// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vkmoye/gen/kernels/gemm_rows.hpp"
#include "vkmoye/gen/kernels/kernel_row.hpp"
#include "vkmoye/gen/kernels/move_rows.hpp"
#include "vkmoye/gen/kernels/reduction_rows.hpp"
#include "vkmoye/gen/kernels/relayout_rows.hpp"

namespace vkmoye::gen {

std::span<const KernelEntry> registry() {
  static const std::vector<KernelEntry> rows = [] {
    std::vector<KernelEntry> out;
    for (auto* family : {move_rows, relayout_rows, reduction_rows, gemm_rows}) {
      for (KernelEntry& row : family()) out.push_back(std::move(row));
    }
    return out;
  }();
  return rows;
}

const KernelEntry* find_kernel(const std::string& name) {
  for (const KernelEntry& row : registry()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

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
  return {fmt::format("there is no such kernel for {}; there are {}", to_string(type),
                      join(names, " "))};
}

}  // namespace vkmoye::gen
