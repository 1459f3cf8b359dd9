// SPDX-License-Identifier: MIT
#pragma once
// Finds the kernels that a user names, and the help of one kernel: `list KERNEL` and `run KERNEL --help`.

#include <string>
#include <vector>

#include "commands/options.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::bench {

/// A suggestion to append to the message about a `word` that names no kernel: " (did you mean 'copy/simple'?)",
/// "; gemm/ has auto simt"; "": no name is similar.
std::string nearest_kernels(const std::string& word);

/// The kernels that match `patterns`, in the order of the registry within each pattern. Throws ArgumentError
/// with the most similar names for a pattern that matches none.
std::vector<const gen::KernelEntry*> find_kernels(const std::vector<std::string>& patterns);

/// The one kernel that matches `name`; throws like `find_kernels`, and if several match.
const gen::KernelEntry& find_one_kernel(const std::string& name);

/// The name of the kernel, its summary, its source and its types.
std::string kernel_summary(const gen::KernelEntry& entry);

/// Each option of its config: the default value, the meaning and, with `ranges`, the valid values.
std::string config_help(const gen::KernelEntry& entry, bool ranges);

/// The options of the problem: their names on one line, or each with its meaning.
std::string problem_names(const gen::KernelEntry& entry);
std::string problem_help(const gen::KernelEntry& entry, CommandName command);

/// The names of the options of the kernel and its problem that `command` takes: "--tile".
std::vector<std::string> option_names(const gen::KernelEntry& entry, CommandName command);

/// Name, summary and options, for the options that `command` takes.
std::string kernel_help(const gen::KernelEntry& entry, CommandName command);

}  // namespace vkmoye::bench
