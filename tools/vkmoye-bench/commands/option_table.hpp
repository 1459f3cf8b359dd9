// SPDX-License-Identifier: MIT
#pragma once
// The table of the options of all commands.

#include <functional>
#include <optional>
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

/// How the values of an option are read.
struct Reading {
  /// Returns false if the text is not valid, or throws ArgumentError with details.
  std::function<bool(const std::string& text, CommandOptions& options)> read;
  ValueCount values = ValueCount::one;
  std::string expects = {};  // for error messages: "a whole number"
};

/// What an option means for some commands.
struct Use {
  Commands commands;
  std::string help;
  bool is_required;
  std::optional<Reading> reading;  // where these commands read the option in another way
};

struct Option {
  /// `words`: the name, and what help calls the value: "--size SIZE"; a flag: "--quick"; a positional argument:
  /// "KERNEL". The rest is the first use.
  Option(const std::string& words, Reading usual, Commands commands, std::string help,
         bool is_required = false, std::optional<Reading> reading = {});
  /// Adds a use.
  Option&& also(Commands commands, std::string help, bool is_required = false,
                std::optional<Reading> reading = {});

  /// The use of `command`; nullptr: the command does not take the option.
  const Use* use_of(CommandName command) const;
  const Reading& reading_of(const Use& use) const;

  std::string name, value;
  Reading usual;
  std::vector<Use> uses;
  /// Its meaning may differ between kernels, so it is not in the help of a command; kernel_help describes it.
  bool is_of_one_kernel = false;
};

/// All options except those of kernels and operations.
std::vector<Option> option_table();

}  // namespace vkmoye::bench
