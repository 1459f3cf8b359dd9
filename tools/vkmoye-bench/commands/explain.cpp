// SPDX-License-Identifier: MIT
// explain KERNEL: what the layouts prove of each access; needs no device.

#include <iostream>

#include "commands/command.hpp"
#include "commands/explain_report.hpp"
#include "commands/kernel_names.hpp"
#include "commands/open_device.hpp"
#include "workloads/operation.hpp"

namespace vkmoye::bench {
namespace {

int explain(const Given& given) {
  const gen::KernelEntry& entry = find_one_kernel(given.kernels.front());
  refuse_useless_values(given.values, {&entry});
  const DeviceCaps caps = described_for(given.device);
  const Operation& operation = operation_of(entry);
  const auto workload =
      operation.of_size({&entry, one_type(given, "f32"), given.config, given.values},
                        size_of_form(operation.size, one_size(given, {4096})));
  gen::AccessModel model;
  model.banks.lanes = static_cast<int>(given.subgroup.value_or(caps.subgroup_size));
  const Step step = workload->step(caps);
  for (const auto& [name, value] : step.arguments) {
    const auto* size = std::get_if<std::int64_t>(&value.value);
    if (size != nullptr) model.sizes[name] = static_cast<std::uint32_t>(*size);
  }
  std::cout << explain_text(step.kernel, model, gen::analyse(step.kernel, model), given.format,
                            workload->choice(caps));
  return kOk;
}

}  // namespace

const Command kExplain = {
    CommandName::explain, "what the layouts prove of each memory access; needs no device",
    "Examples:\n  vkmoye-bench explain transpose/simple\n"
    "  vkmoye-bench explain transpose/simple --type f16 --shared '(32,32):(1,34)'\n"
    "  vkmoye-bench explain gemm/auto --size 512x512x16384   # which kernel, and why",
    explain};

}  // namespace vkmoye::bench
