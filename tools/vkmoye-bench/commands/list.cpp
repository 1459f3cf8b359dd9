// SPDX-License-Identifier: MIT
// list [PATTERN]: every kernel, what it computes, its config, types and source, and the options that say
// what of it is computed.

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "commands/command.hpp"
#include "commands/kernel_names.hpp"
#include "io/wrap.hpp"
#include "vkmoye/base/text.hpp"
#include "workloads/operation.hpp"

namespace vkmoye::bench {
namespace {

constexpr std::size_t kMostOfAValue = 24;  // a longer one stands alone in its line

void print(const gen::KernelEntry& entry) {
  std::vector<std::string> types;
  for (const ScalarType type : entry.types) types.emplace_back(to_string(type));
  std::cout << entry.name << '\n'
            << hanging("  ", entry.summary) << hanging("  source   ", entry.source)
            << hanging("  types    ", join(types, " "));
  std::vector<std::string> problem;
  for (const OperationOption& option : operation_of(entry).options) {
    if (option.name != "packed" || entry.takes_packed) problem.push_back("--" + option.name);
  }
  if (!problem.empty()) std::cout << hanging("  problem  ", join(problem, " ") + " (run --help)");
  std::size_t name_width = 0, value_width = 0;
  for (const gen::OptionRow& option : entry.options) {
    name_width = std::max(name_width, option.name.size());
    if (option.value.size() <= kMostOfAValue) {
      value_width = std::max(value_width, option.value.size());
    }
  }
  for (const gen::OptionRow& option : entry.options) {
    std::string head =
        fmt::format("  --{:<{}}  {:<{}}  ", option.name, name_width, option.value, value_width);
    if (option.value.size() > kMostOfAValue) {
      std::cout << fmt::format("  --{:<{}}  {}\n", option.name, name_width, option.value);
      head = std::string(name_width + value_width + 8, ' ');
    }
    std::cout << hanging(head, option.help);
  }
}

int list(const Given& given) {
  const auto& patterns = given.kernels;
  for (const gen::KernelEntry* entry :
       find_kernels(patterns.empty() ? std::vector<std::string>{"*"} : patterns)) {
    print(*entry);
  }
  return kOk;
}

}  // namespace

const Command kList = {CommandName::list, "every kernel: what it computes, configs, types",
                       "Examples:\n  vkmoye-bench list\n  vkmoye-bench list 'transpose/*'", list};

}  // namespace vkmoye::bench
