// SPDX-License-Identifier: MIT
#include "registry/operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "baselines/baselines.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/round_up.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/operations/operations.hpp"

namespace vkmoye::bench {
namespace {

Registry& stored() {
  static Registry registry = our_registry();
  return registry;
}

bool takes(const Operation& operation, const std::string& value) {
  return std::any_of(operation.options.begin(), operation.options.end(),
                     [&](const OperationOption& option) { return option.name == value; });
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

const std::vector<Operation>& operations() {
  static const std::vector<Operation> table = [] {
    std::vector<Operation> all = gen::operations();
    for (const OperationEntry& entry : registry_in_use().operations) {
      all.push_back(gen::operation_of(entry));
    }
    return all;
  }();
  return table;
}

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const Operation& operation : operations()) names.push_back(operation.name);
  return names;
}

const Operation& operation_of(const gen::KernelEntry& entry) {
  for (const Operation& operation : operations()) {
    if (operation.name == entry.operation) return operation;
  }
  std::abort();  // reasons_against(Registry) finds this at the start of the program
}

const std::vector<std::string>& baseline_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Operation& operation : operations()) {
      for (const std::string& name : baselines_of(operation.name)) {
        if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
      }
    }
    return all;
  }();
  return names;
}

std::vector<std::string> problem_options() {
  std::vector<std::string> names;
  for (const gen::KernelEntry& entry : registry_in_use().kernels) {
    for (const gen::KernelOption& option : entry.options) {
      const bool is_known = std::find(names.begin(), names.end(), option.name) != names.end();
      if (option.changes_result && !is_known) names.push_back(option.name);
    }
  }
  return names;
}

const gen::KernelEntry* kernel_called(const std::string& name) {
  for (const gen::KernelEntry& entry : registry_in_use().kernels) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

bool is_baseline_of(const std::string& name, const gen::KernelEntry& entry) {
  if (const gen::KernelEntry* other = kernel_called(name)) {
    return other->operation == entry.operation && other->name != entry.name;
  }
  const auto baselines = baselines_of(entry.operation);
  return std::find(baselines.begin(), baselines.end(), name) != baselines.end();
}

void refuse_useless_values(const gen::Options& values,
                           const std::vector<const gen::KernelEntry*>& entries) {
  for (const auto& [name, value] : values) {
    const std::string& wanted = name;  // clang 14 does not capture a binding
    const bool useful = std::any_of(entries.begin(), entries.end(), [&](const auto* entry) {
      return takes(operation_of(*entry), wanted);
    });
    if (useful) continue;
    std::vector<std::string> others;
    for (const Operation& operation : operations()) {
      if (takes(operation, name)) others.push_back(operation.name);
    }
    throw ArgumentError(fmt::format("--{} is an option of {}, not of {}", name,
                                    fmt::join(others, ", "), entries.front()->name));
  }
}

void refuse_useless_baselines(const std::vector<std::string>& names,
                              const std::vector<const gen::KernelEntry*>& entries) {
  for (const std::string& name : names) {
    const bool useful = std::any_of(entries.begin(), entries.end(), [&](const auto* entry) {
      return is_baseline_of(name, *entry);
    });
    if (useful) continue;
    const gen::KernelEntry& entry = *entries.front();
    std::vector<std::string> others = baselines_of(entry.operation);
    for (const gen::KernelEntry& kernel : registry_in_use().kernels) {
      if (is_baseline_of(kernel.name, entry)) others.push_back(kernel.name);
    }
    throw ArgumentError(
        fmt::format("--baseline {}: {}; {}", name,
                    name == entry.name ? "is the kernel itself"
                                       : fmt::format("does not compute the same as {}", entry.name),
                    others.empty() ? "there are no baselines" : "known: " + join(others, " ")));
  }
}

Extents in_whole_blocks(const gen::KernelEntry& entry, const Extents& size) {
  Extents out = size;
  if (entry.weights == nullptr || out.empty()) return out;
  const std::int64_t block = entry.weights->elements;
  out.back() = round_up(out.back(), block);
  return out;
}

}  // namespace vkmoye::bench
