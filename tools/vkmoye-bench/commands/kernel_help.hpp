// SPDX-License-Identifier: MIT
#pragma once
// What one kernel is and takes: `list KERNEL` and `run KERNEL --help`.

#include <string>

#include "commands/options.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::bench {

/// What the kernel computes, how, what it follows, its types.
std::string kernel_summary(const gen::KernelEntry& entry);

/// Each option of its config: the kernel's own value, what it means, and with `ranges` what can be given.
std::string config_help(const gen::KernelEntry& entry, bool ranges);

/// The options that say what is computed: their names in a line, or each with its meaning.
std::string problem_names(const gen::KernelEntry& entry);
std::string problem_help(const gen::KernelEntry& entry, CommandName command);

/// All of it, for those options that `command` takes.
std::string kernel_help(const gen::KernelEntry& entry, CommandName command);

/// Whether the help of a command goes on in that of the kernels.
bool takes_kernel_options(CommandName command);

}  // namespace vkmoye::bench
