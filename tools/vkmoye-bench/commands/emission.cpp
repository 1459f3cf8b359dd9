// SPDX-License-Identifier: MIT
#include "commands/emission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "commands/kernel_names.hpp"
#include "commands/open_device.hpp"
#include "registry/operations.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/argument_names.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/passes/sizes_from_buffer.hpp"

namespace vkmoye::bench {
namespace {

constexpr const char* kLanes = "subgroup-size";

// The shape of a kernel that is made for one shape; other kernels take their sizes at run time.
Workload workload_to_emit(const gen::KernelEntry& entry, const CommandOptions& options) {
  const Operation& operation = operation_of(entry);
  Workload workload =
      workload_of({&entry, one_type(options, entry), options.config, options.values},
                  gen::size_of_form(operation.size, one_size(options, operation.size.example)));
  const auto* elements = std::get_if<gen::ElementsForm>(&workload.problem->form);
  const bool takes_any_size = elements != nullptr && !elements->shape;
  if (!options.sizes.empty() && takes_any_size && options.sizes_from_buffer.empty()) {
    throw ArgumentError(
        fmt::format("--size: {} takes these sizes at run time; leave --size out", entry.name));
  }
  return workload;
}

// `plan` with the sizes of --sizes-from-buffer from an array behind those of the caller, see
// gen::with_sizes_from_buffer; the size of `workload` has the maxima.
RunPlan with_sizes_from_buffer(const Workload& workload, RunPlan plan,
                               const CommandOptions& options) {
  if (options.sizes.empty()) {
    throw ArgumentError("emit --sizes-from-buffer: --size is missing, which has the maxima");
  }
  if (plan.steps.size() + plan.left_out.size() != 1) {
    throw ArgumentError(
        fmt::format("emit --sizes-from-buffer: {} takes {} kernels at this size, "
                    "but only a plan of one kernel can have sizes from a buffer",
                    workload.entry->name, plan.steps.size() + plan.left_out.size()));
  }
  const Step one = std::move(plan.steps.front());
  gen::KernelPlan sized =
      gen::with_sizes_from_buffer(one.kernel, split(options.sizes_from_buffer, ','), one.arguments);
  // The arrays of `sized`: those of the kernel, then its own.
  const std::size_t of_kernel = one.arrays.size(), first_own = plan.arrays.size();
  plan.given += sized.arrays.size() - of_kernel;
  for (const auto* arrays : {&sized.arrays, &sized.scratch}) {
    for (std::size_t i = arrays == &sized.arrays ? of_kernel : 0; i < arrays->size(); ++i) {
      plan.arrays.push_back({(*arrays)[i].name, (*arrays)[i].bytes, {}, 0});
    }
  }
  const auto number_of = [&](std::size_t number) {
    return number < of_kernel ? one.arrays[number] : first_own + number - of_kernel;
  };
  std::string command = one.kernel.command;
  if (!command.empty()) {
    if (command.find(" --size ") == std::string::npos) {
      command += fmt::format(" --size {}", fmt::join(workload.problem->size, "x"));
    }
    command += " --sizes-from-buffer " + options.sizes_from_buffer;
  }
  plan.steps.clear();
  for (gen::KernelStep& step : sized.steps) {
    for (std::size_t& array : step.arrays) array = number_of(array);
    if (step.indirect) step.indirect = number_of(*step.indirect);
    step.kernel.command = command;
    plan.steps.push_back({std::move(step)});
  }
  plan.main = sized.main;
  return plan;
}

// What the kernel takes when it runs or is loaded: sizes, strides, factors.
std::vector<std::string> arguments_of(const KernelInterface& kernel) {
  std::vector<std::string> names = argument_names(kernel);
  for (const SpecialisedArgument& one : kernel.specialised) names.push_back(one.name);
  return names;
}

void refuse_twice(const char* option, const std::vector<std::string>& values) {
  for (auto value = values.begin(); value != values.end(); ++value) {
    if (std::find(values.begin(), value, *value) == value) continue;
    throw ArgumentError(fmt::format("emit {}: {} is given twice", option, *value));
  }
}

// "--device h100 --subgroup-size 32"
std::string name_of_variant(const CommandOptions& options) {
  std::vector<std::string> parts;
  if (!options.device.empty()) parts.push_back("--device " + options.device);
  const auto lanes = options.config.find(kLanes);
  if (lanes != options.config.end()) parts.push_back("--subgroup-size " + lanes->second);
  return join(parts, " ");
}

}  // namespace

Emission described_emission(const CommandOptions& options) {
  const gen::KernelEntry& entry = find_one_kernel(options.kernels.front());
  refuse_useless_values(options.values, {&entry});
  DeviceCaps caps = described_for(options.device);
  // A number says what the device does, as in `run`.
  if (const std::uint32_t groups = groups_in(options.resident)) caps.resident_groups = groups;
  Workload workload = workload_to_emit(entry, options);
  RunPlan plan = described_plan(workload, caps);
  if (!options.sizes_from_buffer.empty()) {
    plan = with_sizes_from_buffer(workload, std::move(plan), options);
  }
  if (!options.specialise.empty()) specialise_sizes(plan, options.specialise);
  make_resident(plan, options.resident, caps);
  return {std::move(caps), std::move(workload), std::move(plan)};
}

std::vector<CompiledKernel> compiled_steps(const Emission& emission,
                                           const CommandOptions& options) {
  const auto& [caps, workload, plan] = emission;
  if (!options.kernel_file.empty() && !plan.left_out.empty()) {
    throw ArgumentError(
        fmt::format("emit --kernel: a file needs every step, and some are missing: {}",
                    join(plan.left_out, "; ")));
  }
  std::vector<CompiledKernel> kernels;
  for (const Step& step : plan.steps) {
    if (!options.device.empty()) {
      require_fit(workload.entry->name, gen::ir::interface_of(step.kernel), caps);
    }
    kernels.push_back(gen::compile(step.kernel));
  }
  return kernels;
}

Content content_of(const Emission& emission, const std::vector<CompiledKernel>& kernels,
                   const CommandOptions& options) {
  const RunPlan& plan = emission.plan;
  const std::vector<std::string> names = arguments_of(kernels.front().interface);
  const bool is_sized = !options.sizes.empty() && !names.empty();
  const bool has_scratch = plan.given < plan.arrays.size();
  if (kernels.size() == 1 && !is_sized && !has_scratch) {
    return {kernels.front(),
            names.empty() ? "a kernel without arguments"
                          : fmt::format("a kernel with the arguments {}", join(names, ", "))};
  }
  CompiledPlan out;
  out.name = kernels[plan.main].interface.name;
  for (const Array& array : plan.arrays) {
    auto& arrays = out.arrays.size() < plan.given ? out.arrays : out.scratch;
    arrays.push_back({array.name, array.bytes - std::min(array.bytes, array.offset)});
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const Step& step = plan.steps[i];
    out.steps.push_back({kernels[i], step.arguments, step.arrays, step.indirect});
  }
  std::string summary =
      fmt::format("a plan of {} kernel{} for {}", kernels.size(), kernels.size() == 1 ? "" : "s",
                  size_text(emission.workload.problem->size));
  return {std::move(out), std::move(summary)};
}

std::vector<CommandOptions> variants_in(const CommandOptions& options) {
  const auto lanes = options.config.find(kLanes);
  const auto sizes =
      lanes == options.config.end() ? std::vector<std::string>{} : split(lanes->second, ',');
  const auto devices = options.devices.empty() ? std::vector<std::string>{""} : options.devices;
  refuse_twice("--device", devices);
  refuse_twice("--subgroup-size", sizes);
  std::vector<CommandOptions> out;
  for (const std::string& device : devices) {
    CommandOptions one = options;
    one.device = device;
    if (sizes.empty()) out.push_back(one);
    for (const std::string& size : sizes) {
      one.config[kLanes] = size;
      out.push_back(one);
    }
  }
  return out;
}

KernelFile kernel_file(const std::vector<CommandOptions>& variants) {
  std::vector<CompiledFile> files;
  KernelFile out;
  for (const CommandOptions& options : variants) {
    const std::string name = name_of_variant(options);
    try {
      const Emission emission = described_emission(options);
      Content content = content_of(emission, compiled_steps(emission, options), options);
      if (files.empty()) out.summary = std::move(content.summary);
      files.push_back(std::move(content.file));
    } catch (const DeviceLacks& error) {
      if (variants.size() == 1) throw;
      out.left_out.push_back(fmt::format("{}: {}", name, join(error.reasons, "; ")));
    } catch (const KernelError& error) {
      if (variants.size() == 1) throw;
      throw KernelError("emit " + name, error.reasons);
    }
  }
  if (files.empty()) throw DeviceLacks("emit --kernel: no variant is left", out.left_out);
  if (files.size() > 1)
    out.summary = fmt::format("{} variants, each {}", files.size(), out.summary);
  try {
    out.text = variants_text(files);
  } catch (const ArgumentError& error) {
    const bool has_plan = std::any_of(files.begin(), files.end(), [](const CompiledFile& file) {
      return std::holds_alternative<CompiledPlan>(file);
    });
    const bool needs_size = has_plan && variants.front().sizes.empty();
    throw ArgumentError(
        error.what() +
        std::string(needs_size ? "; give --size, so that all are plans for it" : ""));
  }
  return out;
}

}  // namespace vkmoye::bench
