// SPDX-License-Identifier: MIT
#include "commands/kernel_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "commands/options.hpp"
#include "io/parse.hpp"
#include "io/program.hpp"
#include "io/terminal.hpp"
#include "registry/operations.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::bench {

std::string nearest_kernels(const std::string& word) {
  std::vector<std::string> names;
  for (const gen::KernelEntry& entry : registry_in_use().kernels) names.push_back(entry.name);
  return gen::suggested_kernels(word, names);
}

std::vector<const gen::KernelEntry*> find_kernels(const std::vector<std::string>& patterns) {
  std::vector<const gen::KernelEntry*> found;
  for (const std::string& pattern : patterns) {
    const std::size_t before = found.size();
    for (const gen::KernelEntry& entry : registry_in_use().kernels) {
      const bool again = std::find(found.begin(), found.end(), &entry) != found.end();
      if (matches(pattern, entry.name) && !again) found.push_back(&entry);
    }
    const bool named_before = std::any_of(found.begin(), found.end(), [&](const auto* entry) {
      return matches(pattern, entry->name);
    });
    if (found.size() > before || named_before) continue;
    throw ArgumentError(fmt::format("no kernel '{}'{}; '{} list' shows all kernels", pattern,
                                    nearest_kernels(pattern), program_name()));
  }
  return found;
}

const gen::KernelEntry& find_one_kernel(const std::string& name) {
  const auto found = find_kernels({name});
  if (found.size() > 1) {
    throw ArgumentError(
        fmt::format("'{}' matches {} kernels, but exactly one is needed", name, found.size()));
  }
  return *found.front();
}

namespace {

constexpr std::size_t kMaxOfAValue = 24;  // a longer one gets a line of its own

// Adds the valid values, except whole numbers: help says MxN where there are several, and kLimit is said once.
std::string with_range(const std::string& help, const std::string& expects) {
  const bool are_numbers = expects == gen::numbers_text(1, 1, "") || expects == count_text(0) ||
                           expects == count_text(1) ||
                           expects.find(" whole numbers, such as ") != std::string::npos;
  const bool is_said = expects == "a layout" && help.find("layout") != std::string::npos;
  return expects.empty() || are_numbers || is_said ? help : help + "; " + expects;
}

constexpr const char* kLimit = "whole numbers are at most 4294967295";

bool takes_count(const OperationOption& option) {
  return option.expects == count_text(0) || option.expects == count_text(1);
}

std::vector<OperationOption> problem_of(const gen::KernelEntry& entry) {
  std::vector<OperationOption> options = operation_of(entry).options;
  if (!entry.takes_packed) {
    std::erase_if(options, [](const OperationOption& option) { return option.of_packed; });
  }
  return options;
}

// Those that `command` takes.
std::vector<OperationOption> problem_options(const gen::KernelEntry& entry, CommandName command) {
  std::vector<OperationOption> options = problem_of(entry);
  std::erase_if(options, [&](const OperationOption& option) {
    return !commands_of(operation_of(entry), option).has(command);
  });
  return options;
}

}  // namespace

std::string kernel_summary(const gen::KernelEntry& entry) {
  std::vector<std::string> types;
  for (const ScalarType type : entry.types) types.emplace_back(to_string(type));
  return entry.name + '\n' + hanging("  ", entry.summary) + hanging("  source   ", entry.source) +
         hanging("  types    ",
                 join(types, " ") + (entry.converts ? "; FROM*TO converts, such as f32*f16" : ""));
}

std::string config_help(const gen::KernelEntry& entry, bool ranges) {
  std::size_t name_width = 0, value_width = 0;
  for (const gen::KernelOption& option : entry.options) {
    name_width = std::max(name_width, option.name.size());
    if (option.value.size() <= kMaxOfAValue) {
      value_width = std::max(value_width, option.value.size());
    }
  }
  std::string out;
  for (const gen::KernelOption& option : entry.options) {
    std::string head =
        fmt::format("  --{:<{}}  {:<{}}  ", option.name, name_width, option.value, value_width);
    if (option.value.size() > kMaxOfAValue) {
      out += fmt::format("  --{:<{}}  {}\n", option.name, name_width, option.value);
      head = std::string(name_width + value_width + 8, ' ');
    }
    out += hanging(head, ranges ? with_range(option.help, option.expects) : option.help);
  }
  return out;
}

std::string problem_names(const gen::KernelEntry& entry) {
  std::vector<std::string> names;
  for (const OperationOption& option : problem_of(entry)) names.push_back("--" + option.name);
  return join(names, " ");
}

std::string problem_help(const gen::KernelEntry& entry, CommandName command) {
  const std::vector<OperationOption> options = problem_options(entry, command);
  std::size_t width = 0;
  for (const OperationOption& option : options) width = std::max(width, option.name.size());
  std::string out;
  for (const OperationOption& option : options) {
    out += hanging(fmt::format("  --{:<{}}  ", option.name, width),
                   with_range(option.help, option.expects));
  }
  return out;
}

std::vector<std::string> option_names(const gen::KernelEntry& entry, CommandName command) {
  std::vector<std::string> names;
  for (const gen::KernelOption& option : entry.options) names.push_back("--" + option.name);
  for (const OperationOption& option : problem_options(entry, command)) {
    names.push_back("--" + option.name);
  }
  return names;
}

std::string kernel_help(const gen::KernelEntry& entry, CommandName command) {
  std::string out = kernel_summary(entry);
  const std::string problem = problem_help(entry, command),
                    config = config_help(entry, /*ranges=*/true);
  if (!problem.empty()) {
    const std::vector<OperationOption> options = problem_options(entry, command);
    const bool counts = std::any_of(options.begin(), options.end(), takes_count);
    out += fmt::format("\nOptions of the problem, with their defaults in parentheses{}:\n{}",
                       counts ? fmt::format("\n({})", kLimit) : "", problem);
  }
  if (!config.empty()) out += "\nOptions of the kernel, with their defaults:\n" + config;
  return out;
}

}  // namespace vkmoye::bench
