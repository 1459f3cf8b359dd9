// SPDX-License-Identifier: MIT
#include "commands/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/parse.hpp"
#include "registry/operations.hpp"
#include "vkmoye/base/error.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {
namespace {

// Adds an option that is stored in the map `target` by its name, or `commands` to it if it is there.
void add_named(std::vector<Option>& options, const std::string& name, const std::string& help,
               Commands commands, bool is_flag, gen::Options CommandOptions::*target) {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const Option& one) { return one.name == "--" + name; });
  if (found != options.end()) {
    found->uses.front().commands = found->uses.front().commands | commands;
    return;
  }
  const auto read = [name, target](const std::string& text, CommandOptions& options) {
    (options.*target)[name] = text.empty() ? "yes" : text;
    return true;
  };
  const Reading reading = {read, is_flag ? ValueCount::none : ValueCount::one};
  options.emplace_back("--" + name + " VALUE", reading, commands, help);
  options.back().is_of_one_kernel = true;
}

// The names of an option for CLI11: one with an underscore can also be written with a hyphen.
std::string spellings(const Option& option) {
  const std::string hyphenated = option.hyphenated();
  return hyphenated == option.name ? option.name : option.name + "," + hyphenated;
}

// Reads the values of any option.
void read(const Option& option, const Use& use, const std::vector<std::string>& texts,
          CommandOptions& options) {
  const Reading& reading = option.reading_of(use);
  if (reading.values == ValueCount::one && texts.size() > 1) {
    throw ArgumentError(
        fmt::format("{} is given {} times; give it once", option.name, texts.size()));
  }
  for (const std::string& text : texts) {
    if (text.empty()) {
      // Probably a variable of a script that is not set: taking the default would hide that.
      throw ArgumentError(fmt::format("{} has an empty value{}", option.name,
                                      use.is_required ? "" : "; leave it out for its default"));
    }
    try {
      if (reading.read(text, options)) continue;
    } catch (const ArgumentError& error) {
      throw ArgumentError(fmt::format("{}: {}", option.name, error.what()));
    }
    throw ArgumentError(gen::not_read(option.name, text, reading.expects, reading.choices));
  }
}

}  // namespace

std::string Option::hyphenated() const {
  std::string out = name;
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

std::vector<const gen::KernelEntry*> kernels_among(std::span<const std::string> words) {
  std::vector<const gen::KernelEntry*> found;
  for (const gen::KernelEntry& entry : registry_in_use().kernels) {
    const bool is_named = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return !word.starts_with("-") && matches(word, entry.name);
    });
    if (is_named) found.push_back(&entry);
  }
  return found;
}

std::vector<Option> all_options() {
  std::vector<Option> all = option_table(), config, values;
  for (const gen::KernelEntry& entry : registry_in_use().kernels) {
    for (const gen::KernelOption& row : entry.options) {
      add_named(config, row.name, row.help, kTakeKernelOptions, /*is_flag=*/false,
                &CommandOptions::config);
    }
  }
  for (const Operation& operation : operations()) {
    for (const OperationOption& option : operation.options) {
      add_named(values, option.name, option.help, commands_of(operation, option), option.is_flag,
                &CommandOptions::values);
    }
  }
  for (const std::vector<Option>* named : {&config, &values}) {
    for (Option option : *named) {
      // An option that also belongs to a command has the word for its value from there.
      for (const Option& same : all) {
        if (same.name == option.name) option.value = same.value;
      }
      all.push_back(std::move(option));
    }
  }
  return all;
}

const char* to_string(CommandName name) {
  constexpr const char* kNames[] = {"devices", "list",    "run",   "apply",      "emit",
                                    "explain", "layout",  "suite", "pack",       "tune",
                                    "matmul",  "compare", "peak",  "completion", "man"};
  return kNames[static_cast<std::size_t>(name)];
}

std::span<const Command* const> commands() {
  static constexpr const Command* kAll[] = {&kDevices, &kList,  &kRun,     &kApply,      &kMatmul,
                                            &kPack,    &kEmit,  &kExplain, &kLayout,     &kTune,
                                            &kPeak,    &kSuite, &kCompare, &kCompletion, &kMan};
  return kAll;
}

bool is_searched(const std::string& name) { return name == "split-k" || name == "packed"; }

Commands commands_of(const Operation& operation, const OperationOption& option) {
  using enum CommandName;
  Commands commands = run | explain;
  if (option.of_apply) commands = commands | apply;
  if (option.of_emit) commands = commands | emit;
  if (option.of_pack) commands = commands | pack;
  if (operation.is_tuned) commands = commands | tune;
  return commands;
}

void add_options(CLI::App& app, CommandName command, CommandOptions& options) {
  const bool is_for_products = command == CommandName::tune;
  for (const Option& option : all_options()) {
    const Use* use = option.use_of(command);
    if (use == nullptr) continue;
    // CLI11 shows no options of a group without a name.
    const std::string group = !option.is_of_one_kernel ? "Options"
                              : is_for_products && !is_searched(option.name.substr(2))
                                  ? "Options of the problem"
                                  : "";
    const Reading& reading = option.reading_of(*use);
    if (reading.values == ValueCount::none) {
      app.add_flag_function(
             spellings(option),
             [read = reading.read, &options](std::int64_t) { read("", options); }, use->help)
          ->group(group);
      continue;
    }
    // CLI11's own conversions are not used: they accept NaN in any range, and read -1 as 2^64-1.
    CLI::Option* added = app.add_option(
        spellings(option),
        [option, use = *use, &options](const CLI::results_t& texts) {
          read(option, use, texts, options);
          return true;
        },
        use->help);
    added->expected(1, CLI::detail::expected_max_vector_size)->type_name(option.value);
    // Otherwise a word after the value would be read as another value instead of as a kernel.
    added->allow_extra_args(reading.values == ValueCount::several);
    added->required(use->is_required)->group(group);
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

std::string one_type(const CommandOptions& options, const gen::KernelEntry& entry) {
  return one_type(options, std::string(to_string(gen::usual_type(entry))));
}

}  // namespace vkmoye::bench
