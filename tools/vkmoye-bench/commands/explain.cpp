// SPDX-License-Identifier: MIT
// explain KERNEL: what the layouts prove about each access; --prove: what holds in every launch. Needs no device; of a
// device, the shortest time by its ceilings, and what its driver's compiler says.

#include <iostream>
#include <optional>
#include <utility>

#include "commands/explain_report.hpp"
#include "commands/kernel_names.hpp"
#include "commands/open_device.hpp"
#include "commands/options.hpp"
#include "registry/operations.hpp"
#include "vkmoye/gen/verify/claims.hpp"

namespace vkmoye::bench {
namespace {

int explain(const CommandOptions& options) {
  const gen::KernelEntry& entry = find_one_kernel(options.kernels.front());
  refuse_useless_values(options.values, {&entry});
  const bool is_real =
      !options.device.empty() && !is_description(options.device) && !is_host(options.device);
  std::optional<Device> device;
  if (is_real) device.emplace(open_target(options.device, /*statistics=*/true));
  const DeviceCaps caps = device ? described_by(*device) : described_for(options.device);
  const Operation& operation = operation_of(entry);
  const Workload workload = workload_of(
      {&entry, one_type(options, "f32"), options.config, options.values},
      gen::size_of_form(operation.size, one_size(options, gen::usual_size(operation, {4096}))));
  gen::AccessModel model;
  model.banks.lanes = static_cast<int>(options.subgroup_size.value_or(caps.subgroup_size));
  const RunPlan plan = described_plan(workload, caps);
  const Step& step = plan.steps[plan.main];
  for (const auto& [name, value] : step.arguments) {
    const auto* size = std::get_if<std::int64_t>(&value.value);
    if (size != nullptr) model.sizes[name] = static_cast<std::uint32_t>(*size);
  }
  DeviceFindings findings = findings_on(caps, options.device, is_real, step.kernel,
                                        workload.problem->bytes, workload.problem->flops);
  if (device) findings.driver = compile_with_driver(*device, step.kernel);
  std::vector<gen::Claim> claims;
  if (options.prove) claims = gen::claims_of(step.kernel);
  std::cout << explain_text({step.kernel, model, gen::analyse(step.kernel, model), plan.why,
                             std::move(claims), std::move(findings)},
                            options.format);
  return kOk;
}

}  // namespace

const Command kExplain = {
    CommandName::explain, "analyse the memory accesses of a kernel; needs no device",
    "With --prove, claims are decided for all sizes by rules for names, types and\n"
    "guards, by a machine that follows a workgroup, or by isl with sets of integers.\n"
    "twin: the only launch that the kernel can have was run, without data. author:\n"
    "the author of the kernel asserts it.\n\n"
    "With --device, the report ends with the shortest time by the ceilings that\n"
    "'peak' has kept, and with the statistics of the driver's compiler.\n\n"
    "Examples:\n  vkmoye-bench explain transpose/simple\n"
    "  vkmoye-bench explain transpose/simple --type f16 --shared '(32,32):(1,34)'\n"
    "  vkmoye-bench explain gemm/auto --size 512x512x16384   # which kernel, and why\n"
    "  vkmoye-bench explain gemm/auto --size 4096x4096x4096 --device 0\n"
    "  vkmoye-bench explain transpose/padded --prove\n"
    "  vkmoye-bench explain gemm/simt --prove --format json",
    explain};

}  // namespace vkmoye::bench
