// SPDX-License-Identifier: MIT
#pragma once
// What is wrong with a command line that names something unknown.

#include <string>
#include <vector>

#include "commands/options.hpp"

namespace vkmoye::bench {

/// The command that `app` was added for.
const Command& command_of(const CLI::App& app);

/// The message for the first unknown command or option among `words`, with the nearest known one and where to find all
/// others; "": all are known. `app`: the program, with its commands.
std::string unknown_word(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace vkmoye::bench
