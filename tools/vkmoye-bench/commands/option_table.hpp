// SPDX-License-Identifier: MIT
#pragma once
// The table of the options of all commands.

#include <functional>
#include <string>
#include <vector>

#include "commands/options.hpp"

namespace vkmoye::bench {

/// The number of values that an option takes.
enum class ValueCount {
  none,     // a flag
  one,      // one value; the option may be given once
  each,     // one value; the option may be repeated
  several,  // several values after one another
};

struct Option {
  std::string name;  // "--size"; a positional argument: "KERNEL"
  unsigned commands = 0;
  ValueCount values = ValueCount::one;
  std::string help;
  std::string expects;  // for error messages: "a whole number"
  /// Returns false if the text is not valid, or throws ArgumentError with details.
  std::function<bool(const std::string& text, CommandOptions& options)> read;
  bool required = false;
  std::string group = "Options";
};

/// The bits of several commands.
template <class... Names>
constexpr unsigned for_commands(Names... names) {
  return (static_cast<unsigned>(names) | ...);
}

/// All options except those of kernels and operations.
std::vector<Option> option_table();

}  // namespace vkmoye::bench
