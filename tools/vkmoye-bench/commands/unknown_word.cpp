// SPDX-License-Identifier: MIT
#include "commands/unknown_word.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "commands/kernel_names.hpp"
#include "io/program.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/option_values.hpp"

namespace vkmoye::bench {
namespace {

bool among(const std::string& word, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), word) != names.end();
}

// The options that `command` takes for the kernels among `words`; without kernels, for all.
std::vector<std::string> options_of(const CLI::App& command,
                                    const std::vector<std::string>& words) {
  const CommandName of = command_of(command).name;
  std::vector<std::string> general, all;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      all.push_back("--" + name);
      if (!option->get_group().empty()) general.push_back("--" + name);
    }
  }
  if (!kTakeKernelOptions.has(of)) return all;
  const auto kernels = kernels_among(words);
  for (const gen::KernelEntry* entry : kernels) {
    for (std::string& name : option_names(*entry, of)) general.push_back(std::move(name));
  }
  return kernels.empty() ? all : general;
}

}  // namespace

const Command& command_of(const CLI::App& app) {
  return **std::find_if(commands().begin(), commands().end(), [&](const Command* command) {
    return to_string(command->name) == app.get_name();
  });
}

std::string unknown_word(const CLI::App& app, const std::vector<std::string>& words) {
  const auto subcommands = app.get_subcommands([](const CLI::App*) { return true; });
  std::vector<std::string> commands;
  for (const CLI::App* command : subcommands) commands.push_back(command->get_name());
  const CLI::App* chosen = &app;
  const auto unknown_option = [&](const std::string& name, std::size_t at) {
    std::vector<std::string> options = {"--help", "--version"};
    std::string command;
    if (chosen != &app) {
      command = chosen->get_name() + " ";
      options = options_of(*chosen, words);
      // The help of a kernel, where it follows the command.
      if (at + 1 < words.size() && kernel_called(words[at + 1]) != nullptr)
        command += words[at + 1] + " ";
    }
    const std::string near = did_you_mean(lower_case(name), options);
    return fmt::format("unknown option '{}'{}; see '{} {}--help'", name,
                       near.empty() ? "" : " (did you mean '" + near + "'?)", program_name(),
                       command);
  };
  std::size_t command_at = 0;
  for (const std::string& word : words) {
    if (word == "--") break;  // no options after it
    if (word.starts_with("--") || (chosen == &app && word.starts_with("-") && word != "-h")) {
      std::vector<std::string> options;
      // get_name() is empty for a kernel's own options, which are not in the help of a command.
      for (const CLI::Option* option : chosen->get_options()) {
        for (const std::string& long_name : option->get_lnames())
          options.push_back("--" + long_name);
      }
      const std::string name = word.substr(0, word.find('='));
      if (!among(name, options)) return unknown_option(name, command_at);
    } else if (chosen == &app) {
      const auto named = std::find(commands.begin(), commands.end(), word);
      if (named == commands.end()) return unknown_name("command", word, commands);
      chosen = subcommands[static_cast<std::size_t>(named - commands.begin())];
      command_at = static_cast<std::size_t>(&word - words.data());
    }
  }
  return "";
}

}  // namespace vkmoye::bench
