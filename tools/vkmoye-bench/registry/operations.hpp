// SPDX-License-Identifier: MIT
#pragma once
// The kernels and operations of this program, those of vkmoye unless `use` sets others, and its baselines, by name.

#include <string>
#include <vector>

#include "vkmoye/bench/bench.hpp"
#include "vkmoye/contract/extents.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/problems/operation.hpp"

namespace vkmoye::bench {

/// Valid until the end of the program.
const Registry& registry_in_use();

/// Every reason why the registry is invalid; empty: it is valid.
std::vector<std::string> reasons_against(const Registry& registry);

/// Replaces the registry in use. Preconditions: it is valid, and registry_in_use() was not called before.
void use(Registry registry);

using gen::Operation;
using gen::OperationOption;

/// The operations of the registry in use, those of vkmoye first, in the order in which their options and baselines are
/// listed.
const std::vector<Operation>& operations();

/// The names of `operations()`.
std::vector<std::string> operation_names();

/// The operation of `entry`. Precondition: it is in the table.
const Operation& operation_of(const gen::KernelEntry& entry);

/// Every baseline that is not a kernel, without duplicates.
const std::vector<std::string>& baseline_names();

/// The options of kernels of the registry in use that belong to the problem, see KernelOption::changes_result.
std::vector<std::string> problem_options();

/// The kernel `name` of the registry in use; nullptr if there is none.
const gen::KernelEntry* kernel_called(const std::string& name);

/// Throws ArgumentError for a value that none of `entries` takes.
void refuse_useless_values(const gen::Options& values,
                           const std::vector<const gen::KernelEntry*>& entries);

/// Throws ArgumentError for a baseline that computes the same as none of `entries`.
void refuse_useless_baselines(const std::vector<std::string>& names,
                              const std::vector<const gen::KernelEntry*>& entries);

/// `size` for a kernel that may take weights in blocks only: K rounded up to whole blocks.
Extents in_whole_blocks(const gen::KernelEntry& entry, const Extents& size);

/// Whether `name` is a baseline of `entry`: one of its operation, or another kernel that computes the same.
bool is_baseline_of(const std::string& name, const gen::KernelEntry& entry);

}  // namespace vkmoye::bench
