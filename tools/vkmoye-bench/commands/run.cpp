// SPDX-License-Identifier: MIT
// run KERNEL...: verifies, then times.

#include <algorithm>

#include "commands/command.hpp"
#include "commands/kernel_file.hpp"
#include "commands/kernel_names.hpp"
#include "commands/measure_all.hpp"
#include "commands/open_device.hpp"
#include "registry/operations.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

using Entries = std::vector<const gen::KernelEntry*>;

// Each --type of the results. Commas sweep; but if one of the kernels takes several types, commas separate
// these.
std::vector<std::string> types_of(const Given& given, const Entries& kernels) {
  if (given.types.empty()) return {"f32"};
  const bool together = std::any_of(kernels.begin(), kernels.end(), [](const auto* entry) {
    return operation_of(*entry).takes_all_types;
  });
  return together ? given.types : split(join(given.types, ","), ',');
}

Workloads workloads_of(const Given& given, const Entries& kernels) {
  const Extents usual = {is_host(given.device) ? 128 : 2048};
  // A size without extents stands for the usual one of each operation.
  const std::vector<Extents> sizes =
      given.sizes.empty() ? std::vector<Extents>{Extents{}} : given.sizes;
  Workloads workloads;
  for (const std::string& type : types_of(given, kernels)) {
    for (const Extents& size : sizes) {
      for (const gen::KernelEntry* entry : kernels) {
        const Operation& operation = operation_of(*entry);
        const auto parts = operation.takes_all_types ? std::vector{type} : split(type, ',');
        for (const std::string& part : parts) {
          const Extents& wanted = size.empty() ? usual_size(operation, usual) : size;
          workloads.push_back(operation.of_size({entry, part, given.config, given.values},
                                                size_of_form(operation.size, wanted)));
        }
      }
    }
  }
  return workloads;
}

int run(const Given& given) {
  if (!given.kernel_file.empty() || !given.reference.empty()) return run_kernel_file(given);
  if (given.kernels.empty()) throw ArgumentError("run: needs a KERNEL, or --kernel FILE");
  const Entries kernels = find_kernels(given.kernels);
  refuse_useless_values(given.values, kernels);
  if (given.measure.gate && given.measure.baselines.empty()) {
    throw ArgumentError("--gate: needs a --baseline");
  }
  if (given.measure.gate && is_host(given.device)) {
    throw ArgumentError("--gate: kernels cannot be timed on the host");
  }
  if ((given.measure.cold || given.measure.stop_noise) && is_host(given.device)) {
    throw ArgumentError("--cold, --stop-noise: kernels cannot be timed on the host");
  }
  refuse_useless_baselines(given.measure.baselines, kernels);
  const Workloads workloads = workloads_of(given, kernels);
  const auto executor = open_executor(given.device);
  // A bad config is an error before any work is done. Kernels that refuse the problem are skipped, and so are those
  // without this type, if there are several.
  for (const auto& workload : workloads) {
    if (!workload->refusal().empty() || (kernels.size() > 1 && !workload->has_type())) continue;
    // Whether there is a kernel that depends on the order of the device's matrices is known only later, and goes into
    // its result.
    const bool depends = workload->entry().probes && !workload->probes(executor->caps()).empty();
    if (!depends) workload->describe(executor->caps());
  }
  return measure_all(*executor, workloads, given.measure, given);
}

}  // namespace

const Command kRun = {CommandName::run, "verify kernels, then time them",
                      "Examples:\n"
                      "  vkmoye-bench run 'copy/*' 'transpose/*' --size 2048x2048,1023x2047\n"
                      "  vkmoye-bench run transpose/padded --type f16 --pad 2 --baseline copy\n"
                      "  vkmoye-bench run --kernel k.json --reference gemm --size 512x512x512",
                      run};

}  // namespace vkmoye::bench
