// SPDX-License-Identifier: MIT
#pragma once
// The options of the commands, a row each.

#include <functional>
#include <string>
#include <vector>

#include "commands/options.hpp"

namespace vkmoye::bench {

/// What an option takes.
enum class Values {
  none,     // a flag
  one,      // the option takes a value, and is given once
  each,     // a value, and may be repeated
  several,  // values follow each other
};

struct Option {
  std::string name;  // "--size"; of a word that stands alone "KERNEL"
  unsigned commands = 0;
  Values values = Values::one;
  std::string help;
  std::string expects;  // for refusals: "a whole number"
  /// False: it is not what was expected. Throws ArgumentError that says more.
  std::function<bool(const std::string& text, Given& given)> read;
  bool required = false;
  std::string group = "Options";
};

/// The bits of these commands.
template <class... Names>
constexpr unsigned of(Names... names) {
  return (static_cast<unsigned>(names) | ...);
}

/// All but those that kernels and operations name themselves.
std::vector<Option> option_table();

}  // namespace vkmoye::bench
