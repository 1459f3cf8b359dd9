// SPDX-License-Identifier: MIT
// list [PATTERN]: every kernel, what it computes, its config, types and source; of one, all that it takes.

#include <iostream>
#include <string>
#include <vector>

#include "commands/command.hpp"
#include "commands/kernel_help.hpp"
#include "commands/kernel_names.hpp"
#include "io/wrap.hpp"

namespace vkmoye::bench {
namespace {

int list(const Given& given) {
  const auto& patterns = given.kernels;
  const auto kernels = find_kernels(patterns.empty() ? std::vector<std::string>{"*"} : patterns);
  if (kernels.size() == 1) {
    std::cout << kernel_help(*kernels.front(), CommandName::run);
    return kOk;
  }
  for (const gen::KernelEntry* entry : kernels) {
    std::cout << kernel_summary(*entry);
    const std::string problem = problem_names(*entry);
    if (!problem.empty()) {
      std::cout << hanging("  problem  ", problem + " (list " + entry->name + ")");
    }
    std::cout << config_help(*entry, /*ranges=*/false);
  }
  return kOk;
}

}  // namespace

const Command kList = {
    CommandName::list, "every kernel: what it computes, configs, types",
    "Of one kernel, all that it takes: each option, its default, what can be given.\n\n"
    "Examples:\n  vkmoye-bench list 'transpose/*'\n  vkmoye-bench list gemm/simt",
    list};

}  // namespace vkmoye::bench
