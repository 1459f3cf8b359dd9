// SPDX-License-Identifier: MIT
#include "workloads/operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "io/program.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "workloads/moves.hpp"
#include "workloads/products/workload.hpp"
#include "workloads/registry_in_use.hpp"
#include "workloads/rows/operations.hpp"
#include "workloads/user_operation.hpp"

namespace vkmoye::bench {
namespace {

bool takes(const Operation& operation, const std::string& value) {
  return std::any_of(operation.options.begin(), operation.options.end(),
                     [&](const OperationOption& option) { return option.name == value; });
}

}  // namespace

const std::vector<Operation>& our_operations() {
  static const std::vector<Operation> table = {
      copies(),           transposes(), relayouts(), sums(),
      largest_elements(), softmaxes(),  norms(),     products(),
  };
  return table;
}

const std::vector<Operation>& operations() {
  static const std::vector<Operation> table = [] {
    std::vector<Operation> all = our_operations();
    for (const OperationRow& row : registry_in_use().operations) all.push_back(own_operation(row));
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
  complain(fmt::format("{}: no row of operation.cpp is called '{}'", entry.name, entry.operation));
  std::abort();
}

const std::vector<std::string>& baseline_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Operation& operation : operations()) {
      for (const std::string& name : operation.baselines) {
        if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
      }
    }
    return all;
  }();
  return names;
}

Extents size_of_form(const SizeForm& form, const Extents& extents) {
  if (extents.size() == 1) return Extents(form.rank, extents.front());
  if (extents.size() == form.rank || form.any_rank) return extents;
  throw ArgumentError(fmt::format("size '{}' has {} extents, {} has {}", to_string(extents),
                                  extents.size(), form.text, form.rank));
}

const gen::KernelEntry* kernel_called(const std::string& name) {
  for (const gen::KernelEntry& entry : registry_in_use().kernels) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

bool does(const std::string& name, const gen::KernelEntry& entry) {
  if (const gen::KernelEntry* other = kernel_called(name)) {
    return other->operation == entry.operation && other->name != entry.name;
  }
  const auto& baselines = operation_of(entry).baselines;
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
    throw ArgumentError(fmt::format("--{} is for {}, and {} is none", name, fmt::join(others, ", "),
                                    entries.front()->name));
  }
}

void refuse_useless_baselines(const std::vector<std::string>& names,
                              const std::vector<const gen::KernelEntry*>& entries) {
  for (const std::string& name : names) {
    const bool useful = std::any_of(entries.begin(), entries.end(),
                                    [&](const auto* entry) { return does(name, *entry); });
    if (useful) continue;
    const gen::KernelEntry& entry = *entries.front();
    std::vector<std::string> others = operation_of(entry).baselines;
    for (const gen::KernelEntry& kernel : registry_in_use().kernels) {
      if (does(kernel.name, entry)) others.push_back(kernel.name);
    }
    throw ArgumentError(fmt::format(
        "--baseline {}: {}; {}", name,
        name == entry.name ? "is the kernel itself, which is its own speed"
                           : fmt::format("does not do what {} does", entry.name),
        others.empty() ? "nothing else does the same" : "there are " + join(others, " ")));
  }
}

}  // namespace vkmoye::bench
