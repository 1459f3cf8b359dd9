// SPDX-License-Identifier: MIT
#include "registry/registry_in_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "baselines/baselines.hpp"
#include "vkmoye/gen/operations/operations.hpp"

namespace vkmoye::bench {
namespace {

Registry& stored() {
  static Registry registry = our_registry();
  return registry;
}

}  // namespace

Registry our_registry() {
  const auto ours = gen::registry();
  return {{ours.begin(), ours.end()}, {}};
}

const Registry& registry_in_use() { return stored(); }

std::vector<std::string> reasons_against(const Registry& registry) {
  std::vector<std::string> reasons;
  std::set<std::string> operations, kernels, baselines;
  for (const gen::Operation& ours : gen::operations()) {
    operations.insert(ours.name);
    for (std::string& name : baselines_of(ours.name)) baselines.insert(std::move(name));
  }
  for (const OperationEntry& row : registry.operations) {
    const auto refuse = [&](const char* why) {
      reasons.push_back(fmt::format("operation '{}': {}", row.name, why));
    };
    if (row.name.empty()) refuse("has no name");
    if (!operations.insert(row.name).second) refuse("there is another one of this name");
    if (!row.problem) refuse("does not say what its arrays are: problem is empty");
    if (!row.reference && !row.references) {
      refuse("has no definition to compare with: reference is empty");
    }
    if (row.reference && row.references) refuse("has both reference and references");
    const auto extents = 1 + std::count(row.size_form.begin(), row.size_form.end(), 'x');
    if (std::cmp_not_equal(row.example.size(), extents)) {
      reasons.push_back(fmt::format("operation '{}': its example has {} extents, {} has {}",
                                    row.name, row.example.size(), row.size_form, extents));
    }
  }
  for (const gen::KernelEntry& kernel : registry.kernels) {
    const auto refuse = [&](const std::string& why) {
      reasons.push_back(fmt::format("kernel '{}': {}", kernel.name, why));
    };
    if (kernel.name.empty()) refuse("has no name");
    if (!kernels.insert(kernel.name).second) refuse("there is another one of this name");
    if (baselines.contains(kernel.name)) refuse("--baseline already uses this name");
    if (!kernel.describe) refuse("describe is empty");
    if (kernel.types.empty()) refuse("has no types");
    if (!operations.contains(kernel.operation)) {
      refuse(fmt::format("there is no operation '{}'", kernel.operation));
    }
  }
  return reasons;
}

void use(Registry registry) { stored() = std::move(registry); }

}  // namespace vkmoye::bench
