// SPDX-License-Identifier: MIT
#include "commands/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "commands/option_table.hpp"
#include "registry/operations.hpp"
#include "registry/registry_in_use.hpp"
#include "vkmoye/base/error.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {
namespace {

constexpr const char* kOfOneKernel = "of one kernel";

// Options that are stored in a map by name. Their meaning may differ between kernels, so they are not in the help of
// a command; kernel_help describes them for one kernel.
class NamedOptions {
 public:
  explicit NamedOptions(gen::Options CommandOptions::*target) : target_(target) {}

  void add(const std::string& name, const std::string& help, unsigned commands,
           bool is_flag = false) {
    auto found = std::find_if(options_.begin(), options_.end(),
                              [&](const Option& option) { return option.name == "--" + name; });
    if (found == options_.end()) {
      found = options_.insert(
          options_.end(),
          {"--" + name, commands, is_flag ? ValueCount::none : ValueCount::one, help, "",
           [name, target = target_](const std::string& text, CommandOptions& options) {
             (options.*target)[name] = text.empty() ? "yes" : text;
             return true;
           },
           false, kOfOneKernel});
    }
    found->commands |= commands;
  }
  const std::vector<Option>& all() const { return options_; }

 private:
  gen::Options CommandOptions::*target_;
  std::vector<Option> options_;
};

std::vector<Option> all_options() {
  using enum CommandName;
  std::vector<Option> options = option_table();
  NamedOptions config(&CommandOptions::config);
  for (const gen::KernelEntry& entry : registry_in_use().kernels) {
    for (const gen::KernelOption& row : entry.options) {
      config.add(row.name, row.help, for_commands(run, apply, pack, emit, explain));
    }
  }
  NamedOptions values(&CommandOptions::values);
  for (const Operation& operation : operations()) {
    for (const OperationOption& option : operation.options) {
      values.add(option.name, option.help, commands_of(operation, option), option.is_flag);
    }
  }
  for (const NamedOptions* named : {&config, &values}) {
    options.insert(options.end(), named->all().begin(), named->all().end());
  }
  return options;
}

// The names of an option for CLI11: one with an underscore can also be written with a hyphen.
std::string spellings(const std::string& name) {
  std::string hyphenated = name;
  std::replace(hyphenated.begin(), hyphenated.end(), '_', '-');
  return hyphenated == name ? name : name + "," + hyphenated;
}

// Reads the values of any option.
void read(const Option& option, const std::vector<std::string>& texts, CommandOptions& options) {
  if (option.values == ValueCount::one && texts.size() > 1) {
    throw ArgumentError(
        fmt::format("{} is given {} times; give it once", option.name, texts.size()));
  }
  for (const std::string& text : texts) {
    if (text.empty()) {
      // Probably a variable of a script that is not set: taking the default would hide that.
      throw ArgumentError(fmt::format("{} has an empty value{}", option.name,
                                      option.required ? "" : "; leave it out for its default"));
    }
    try {
      if (option.read(text, options)) continue;
    } catch (const ArgumentError& error) {
      throw ArgumentError(fmt::format("{}: {}", option.name, error.what()));
    }
    throw ArgumentError(gen::not_read(option.name, text, option.expects));
  }
}

}  // namespace

const char* to_string(CommandName name) {
  using enum CommandName;
  switch (name) {
    case devices: return "devices";
    case list: return "list";
    case run: return "run";
    case apply: return "apply";
    case emit: return "emit";
    case explain: return "explain";
    case layout: return "layout";
    case suite: return "suite";
    case tune: return "tune";
    case pack: return "pack";
    case matmul: return "matmul";
    case compare: return "compare";
    case peak: return "peak";
  }
  return "?";
}

bool is_searched(const std::string& name) { return name == "split-k" || name == "packed"; }

unsigned commands_of(const Operation& operation, const OperationOption& option) {
  using enum CommandName;
  return for_commands(run, explain) | (option.of_apply ? for_commands(apply) : 0u) |
         (option.of_emit ? for_commands(emit) : 0u) | (option.of_pack ? for_commands(pack) : 0u) |
         (operation.is_tuned ? for_commands(tune) : 0u);
}

void add_options(CLI::App& app, CommandName command,
                 const std::shared_ptr<CommandOptions>& options) {
  const bool is_for_products = command == CommandName::tune;
  for (const Option& option : all_options()) {
    if ((option.commands & for_commands(command)) == 0) continue;
    // CLI11 shows no options of a group without a name.
    const std::string group = option.group != kOfOneKernel ? option.group
                              : is_for_products && !is_searched(option.name.substr(2))
                                  ? "Options of the problem"
                                  : "";
    if (option.values == ValueCount::none) {
      app.add_flag_function(
             spellings(option.name), [option, options](std::int64_t) { option.read("", *options); },
             option.help)
          ->group(group);
      continue;
    }
    // CLI11's own conversions are not used: they accept NaN in any range, and read -1 as 2^64-1.
    CLI::Option* added = app.add_option(
        spellings(option.name),
        [option, options](const CLI::results_t& texts) {
          read(option, texts, *options);
          return true;
        },
        option.help);
    added->expected(1, CLI::detail::expected_max_vector_size);
    // Otherwise a word after the value would be read as another value instead of as a kernel.
    added->allow_extra_args(option.values == ValueCount::several);
    added->required(option.required)->group(group);
  }
}

Extents one_size(const CommandOptions& options, const Extents& usual) {
  if (options.sizes.size() > 1) {
    throw ArgumentError(
        fmt::format("--size: {} sizes are given, but only one can be used", options.sizes.size()));
  }
  return options.sizes.empty() ? usual : options.sizes.front();
}

std::string one_type(const CommandOptions& options, const std::string& usual) {
  if (options.types.size() > 1) {
    throw ArgumentError(
        fmt::format("--type: is given {} times; give it once", options.types.size()));
  }
  return options.types.empty() ? usual : options.types.front();
}

}  // namespace vkmoye::bench
