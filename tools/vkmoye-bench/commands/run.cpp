// SPDX-License-Identifier: MIT
// run KERNEL...: verifies, then times. run --kernel FILE --reference OPERATION: the same for a kernel that was compiled
// elsewhere, by any compiler, on arrays of the operation with the kernel's own types.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "commands/kernel_names.hpp"
#include "commands/measure_all.hpp"
#include "commands/open_device.hpp"
#include "commands/options.hpp"
#include "registry/operations.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/path_text.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/argument_names.hpp"
#include "vkmoye/contract/compiled_file.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"
#include "vkmoye/gen/spirv/validate.hpp"

namespace vkmoye::bench {
namespace {

// An entry for the kernel as the registry would have it: its own name, the operation of --reference.
gen::KernelEntry entry_of(const KernelInterface& kernel, const std::string& operation) {
  gen::KernelEntry entry;
  entry.name = kernel.name;
  entry.operation = operation;
  for (const ScalarTypeInfo& row : scalar_types()) entry.types.push_back(row.type);
  entry.converts = true;
  entry.describe = [](const gen::KernelRequest&) -> gen::ir::Kernel {
    throw KernelError("a kernel of a file", {"it has no description"});
  };
  return entry;
}

// The types in the form of --type. For a copy: those of src and dst. For a product: those of A and B, of alpha (the
// accumulator type), and of C.
std::string type_of(const KernelInterface& kernel, const Operation& operation) {
  const auto text = [](ScalarType type) { return std::string(to_string(type)); };
  const std::string first = text(kernel.bindings.front().type);
  if (kernel.bindings.size() < 2) return first;
  const std::string operands = gen::operands_text(kernel.bindings[0].type, kernel.bindings[1].type);
  if (!operation.takes_all_types) return operation.converts ? operands : first;
  std::string sums = "f32";
  for (const PushConstant& constant : kernel.push_constants) {
    if (constant.name == "alpha") sums = text(constant.type);
  }
  return join({operands, sums, text(kernel.bindings.back().type)}, ",");
}

// Adds the orders of A and B from the interface, where it names the extents and the user gave no option.
void add_orders(const KernelInterface& kernel, gen::Options& values) {
  for (const auto& [name, other] : {std::pair("a", "m"), std::pair("b", "n")}) {
    for (const Binding& binding : kernel.bindings) {
      const bool is_transposed = binding.name == name && !binding.extents.empty() &&
                                 binding.extents.front() == Extent(other);
      if (is_transposed) values.try_emplace(name, other);
    }
  }
}

// Every reason why the kernel cannot take the arrays of `problem`, which belongs to `operation`.
void require_fit(const gen::Problem& problem, const KernelInterface& kernel,
                 const Operation& operation) {
  std::vector<std::string> reasons, names;
  const std::vector<gen::ProblemArray>& arrays = problem.arrays;
  for (const gen::ProblemArray& array : arrays) names.push_back(array.name);
  if (arrays.size() != kernel.bindings.size()) {
    reasons.push_back(fmt::format("{} has {} arrays ({}), the kernel binds {}", operation.name,
                                  arrays.size(), join(names, ", "), kernel.bindings.size()));
  }
  const Arguments& given = problem.arguments;
  for (const PushConstant& constant : kernel.push_constants) {
    if (is_set_by_runtime(constant) || given.contains(constant.name)) continue;
    reasons.push_back(fmt::format("{} has no argument '{}'", operation.name, constant.name));
  }
  for (const SpecialisedArgument& argument : kernel.specialised) {
    if (given.contains(argument.name)) continue;
    reasons.push_back(fmt::format("{} has no argument '{}'", operation.name, argument.name));
  }
  throw_if_any(kernel.name, std::move(reasons));
}

// The kernel of `variant`, or of a plan of one kernel, without its arguments: `run` has those for its own sizes. Throws
// ArgumentError if it is a plan of several.
const CompiledKernel& one_kernel(const std::string& file, const CompiledFile& variant) {
  if (const auto* kernel = std::get_if<CompiledKernel>(&variant)) return *kernel;
  const auto& plan = std::get<CompiledPlan>(variant);
  const bool is_one = plan.steps.size() == 1 && plan.scratch.empty();
  if (is_one) return plan.steps.front().kernel;
  throw ArgumentError(fmt::format(
      "run --kernel: {} is a plan of {} kernel{} for one size, with {}; run what `emit` "
      "made it from, with the same options",
      file, plan.steps.size(), plan.steps.size() == 1 ? "" : "s", plan.name));
}

// That of the variant for `caps`. Throws DeviceLacks if there is none.
const CompiledKernel& kernel_for(const DeviceCaps& caps, const std::string& file,
                                 const std::vector<CompiledFile>& variants) {
  try {
    return one_kernel(file, variants[fitting_variant(variants, caps)]);
  } catch (const KernelError& error) {
    throw DeviceLacks("run --kernel " + file, error.reasons);
  }
}

int run_kernel_file(const CommandOptions& options) {
  if (options.kernel_file.empty() || options.reference.empty() || !options.kernels.empty()) {
    throw ArgumentError("run: --kernel FILE needs --reference OPERATION, and no KERNEL");
  }
  if (options.bake) throw ArgumentError("run --kernel: --bake is for kernels of the registry");
  if (!options.specialise.empty()) {
    throw ArgumentError(
        "run --kernel: --specialise is for kernels of the registry; emit --specialise writes a "
        "file of such a kernel");
  }
  const std::vector<std::string> of_problem = problem_options();
  for (const auto& [name, value] : options.config) {
    if (std::find(of_problem.begin(), of_problem.end(), name) != of_problem.end()) continue;
    throw ArgumentError(
        fmt::format("run --kernel: --{} is for kernels of the registry; the reference takes --{}",
                    name, join(of_problem, ", --")));
  }
  if (options.gate && options.baselines.empty()) {
    throw ArgumentError("--gate: needs a --baseline");
  }
  const std::vector<CompiledFile> variants = read_variants(path_of(options.kernel_file));
  for (const CompiledFile& variant : variants) {
    const CompiledKernel& kernel = one_kernel(options.kernel_file, variant);
    throw_if_any(options.kernel_file, gen::reasons_against_module(kernel.spirv));
  }
  // All variants are called in the same way.
  const KernelInterface& interface = one_kernel(options.kernel_file, variants.front()).interface;
  if (interface.bindings.empty()) throw KernelError(interface.name, {"it has no bindings"});
  const gen::KernelEntry entry = entry_of(interface, options.reference);
  const Operation& operation = operation_of(entry);
  refuse_useless_values(options.values, {&entry});
  refuse_useless_baselines(options.baselines, {&entry});
  gen::Options values = options.values;
  if (operation.takes_all_types) add_orders(interface, values);
  const std::string of_file = type_of(interface, operation), type = one_type(options, of_file);
  // Of other operations, the types of further arrays follow the first.
  const char* first = operation.takes_all_types || operation.converts ? "," : ",*";
  if (type.substr(0, type.find_first_of(first)) != of_file.substr(0, of_file.find(','))) {
    throw ArgumentError(fmt::format("run --kernel: --type {}: the kernel of {} takes {}", type,
                                    options.kernel_file, of_file));
  }
  const gen::ProblemText text = {&entry, type, options.config, values};
  const std::vector<std::string> subject = {"--kernel", options.kernel_file, "--reference",
                                            options.reference};
  Workloads workloads;
  const std::vector<Extents> sizes = options.sizes.empty()
                                         ? std::vector<Extents>{gen::usual_size(operation, {2048})}
                                         : options.sizes;
  for (const Extents& size : sizes) {
    Workload workload = workload_of(text, gen::size_of_form(operation.size, size));
    workload.subject = subject;
    require_fit(*workload.problem, interface, operation);
    workloads.push_back(std::move(workload));
  }
  const auto executor = open_executor(options.device);
  const auto kernel = std::make_shared<const CompiledKernel>(
      kernel_for(executor->caps(), options.kernel_file, variants));
  for (Workload& workload : workloads) workload.compiled = kernel;
  return measure_all(*executor, workloads, options);
}

using Entries = std::vector<const gen::KernelEntry*>;

// Each --type of the results; "" for the usual type of each kernel. Commas sweep; but if one of the kernels takes
// several types, commas separate these.
std::vector<std::string> types_of(const CommandOptions& options, const Entries& kernels) {
  if (options.types.empty()) return {""};
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
        const std::string usual_type(to_string(gen::usual_type(*entry)));
        const auto parts = type.empty()                ? std::vector{usual_type}
                           : operation.takes_all_types ? std::vector{type}
                                                       : split(type, ',');
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
  const auto executor =
      open_executor(options.device, /*statistics=*/false, groups_in(options.resident));
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
