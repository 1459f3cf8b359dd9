// SPDX-License-Identifier: MIT
// run KERNEL...: verifies, then times.

#include <algorithm>

#include "commands/command.hpp"
#include "commands/kernel_file.hpp"
#include "commands/kernel_names.hpp"
#include "commands/measure_all.hpp"
#include "commands/open_device.hpp"
#include "commands/slow_compilers.hpp"
#include "registry/operations.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

using Entries = std::vector<const gen::KernelEntry*>;

// Each --type of the results. Commas sweep; but if one of the kernels takes several types, commas separate
// these.
std::vector<std::string> types_of(const CommandOptions& options, const Entries& kernels) {
  if (options.types.empty()) return {"f32"};
  const bool together = std::any_of(kernels.begin(), kernels.end(), [](const auto* entry) {
    return operation_of(*entry).takes_all_types;
  });
  return together ? options.types : split(join(options.types, ","), ',');
}

Workloads workloads_of(const CommandOptions& options, const Entries& kernels) {
  const Extents usual = {is_host(options.device) ? 128 : 2048};
  // A size without extents stands for the usual one of each operation.
  const std::vector<Extents> sizes =
      options.sizes.empty() ? std::vector<Extents>{Extents{}} : options.sizes;
  Workloads workloads;
  for (const std::string& type : types_of(options, kernels)) {
    for (const Extents& size : sizes) {
      for (const gen::KernelEntry* entry : kernels) {
        const Operation& operation = operation_of(*entry);
        const auto parts = operation.takes_all_types ? std::vector{type} : split(type, ',');
        for (const std::string& part : parts) {
          const Extents& wanted = size.empty() ? gen::usual_size(operation, usual) : size;
          workloads.push_back(workload_of({entry, part, options.config, options.values},
                                          gen::size_of_form(operation.size, wanted)));
        }
      }
    }
  }
  return workloads;
}

// A size without a result is skipped beside others. Throws ArgumentError with every reason if no size has a result.
void refuse_sizes_without_results(const Workloads& workloads) {
  std::vector<std::string> reasons;
  for (const Workload& workload : workloads) {
    if (workload.problem->refusal.empty()) return;
    const std::string reason = workload.entry->name + ": " + workload.problem->refusal;
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
      reasons.push_back(reason);
    }
  }
  throw ArgumentError(with_reasons("no size has a result", reasons));
}

int run(const CommandOptions& options) {
  if (!options.kernel_file.empty() || !options.reference.empty()) return run_kernel_file(options);
  if (options.kernels.empty()) throw ArgumentError("run: needs a KERNEL, or --kernel FILE");
  const Entries kernels = find_kernels(options.kernels);
  refuse_useless_values(options.values, kernels);
  if (options.bake && !options.specialise.empty()) {
    throw ArgumentError(
        "run: --bake and --specialise are two ways to make sizes constants; give one");
  }
  if (options.gate && options.baselines.empty()) {
    throw ArgumentError("--gate: needs a --baseline");
  }
  if (options.gate && is_host(options.device)) {
    throw ArgumentError("--gate: kernels cannot be timed on the host");
  }
  if ((options.cold || options.stop_noise) && is_host(options.device)) {
    throw ArgumentError("--cold, --stop-noise: kernels cannot be timed on the host");
  }
  refuse_useless_baselines(options.baselines, kernels);
  Workloads workloads = workloads_of(options, kernels);
  refuse_sizes_without_results(workloads);
  const auto executor = open_executor(options.device);
  if (!is_host(options.device)) {
    leave_out_slow_compiles("run", executor->caps(), options.kernels, workloads);
  }
  // A bad config is an error before any work is done. Kernels that refuse the problem are skipped, and so are those
  // without this type, if there are several.
  for (const auto& workload : workloads) {
    if (!workload.problem->refusal.empty() || (kernels.size() > 1 && !workload.has_type()))
      continue;
    // Whether there is a kernel that depends on the order of the device's matrices is known only later, and goes into
    // its result.
    const gen::KernelRequest request = workload.request(executor->caps());
    const bool depends = workload.entry->probes && !workload.entry->probes(request).empty();
    if (!depends) workload.entry->describe(request);
  }
  return measure_all(*executor, workloads, options);
}

}  // namespace

const Command kRun = {CommandName::run, "verify kernels, then time them",
                      "Examples:\n"
                      "  vkmoye-bench run 'copy/*' 'transpose/*' --size 2048x2048,1023x2047\n"
                      "  vkmoye-bench run transpose/padded --type f16 --pad 2 --baseline copy\n"
                      "  vkmoye-bench run --kernel k.json --reference gemm --size 512x512x512",
                      run};

}  // namespace vkmoye::bench
