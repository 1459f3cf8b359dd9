// SPDX-License-Identifier: MIT
// list [PATTERN]: every kernel with its summary, config, types and source; for one kernel, all of its options.

#include <iostream>
#include <string>
#include <vector>

#include "commands/kernel_names.hpp"
#include "commands/open_device.hpp"
#include "commands/options.hpp"
#include "io/terminal.hpp"
#include "registry/operations.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/json.hpp"
#include "vkmoye/gen/verify/claims.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {
namespace {

// For more kernels the claims are left out: deciding them takes a tenth of a second for each, and longer for products.
constexpr std::size_t kMaxProved = 12;

// The default kernel of `entry`: its first type, and where it is made for one shape, an example.
gen::ir::Kernel default_kernel(const gen::KernelEntry& entry, const DeviceCaps& caps) {
  const Operation& operation = operation_of(entry);
  const Workload workload =
      workload_of({&entry, std::string(to_string(entry.types.front())), {}, {}},
                  gen::size_of_form(operation.size, operation.size.example));
  RunPlan plan = described_plan(workload, caps);
  return std::move(plan.steps[plan.main].kernel);
}

// The claims about the kernel by their answer, or why there is no kernel.
void add_claims(Json& out, const gen::KernelEntry& entry, const DeviceCaps& caps) {
  Json proved = Json::array(), assumed = proved, skipped = nullptr;
  try {
    for (const gen::Claim& claim : gen::claims_of(default_kernel(entry, caps))) {
      (claim.answer == gen::Claim::Answer::proved ? proved : assumed).push_back(claim.text);
    }
  } catch (const Error& error) {
    skipped = error.what();
  }
  out["proved"] = proved;
  out["assumed"] = assumed;
  out["skipped"] = skipped;
}

Json to_json(const gen::KernelEntry& entry) {
  Json types = Json::array(), options = Json::array();
  for (const ScalarType type : entry.types) types.push_back(to_string(type));
  for (const gen::KernelOption& option : entry.options) {
    options.push_back({{"name", option.name},
                       {"value", option.value},
                       {"help", option.help},
                       {"expects", option.expects}});
  }
  return {{"name", entry.name},       {"operation", entry.operation},
          {"summary", entry.summary}, {"source", entry.source},
          {"types", types},           {"converts", entry.converts},
          {"options", options}};
}

std::string json(const std::vector<const gen::KernelEntry*>& kernels, const std::string& device) {
  const DeviceCaps caps = described_for(device);
  Json list = Json::array();
  for (const gen::KernelEntry* entry : kernels) {
    list.push_back(to_json(*entry));
    if (kernels.size() <= kMaxProved) add_claims(list.back(), *entry, caps);
  }
  return Json({{"schema", 1}, {"kernels", list}}).dump(2) + "\n";
}

int list(const CommandOptions& options) {
  const auto& patterns = options.kernels;
  const auto kernels = find_kernels(patterns.empty() ? std::vector<std::string>{"*"} : patterns);
  if (options.format == "json") {
    std::cout << json(kernels, options.device);
    return kOk;
  }
  if (!options.device.empty()) {
    throw ArgumentError("--device: kernels are described only with --format json");
  }
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
    CommandName::list, "list kernels with their summaries, configs and types",
    "For one kernel: each of its options with the default, and the accepted words.\n\n"
    "With --format json, each kernel has the claims that are proved for all sizes or\n"
    "assumed by its author, as in 'explain --prove', for its first type and default\n"
    "options; they are left out if more than 12 kernels are listed.\n\n"
    "Examples:\n  vkmoye-bench list 'transpose/*'\n  vkmoye-bench list gemm/simt\n"
    "  vkmoye-bench list 'transpose/*' --format json",
    list};

}  // namespace vkmoye::bench
