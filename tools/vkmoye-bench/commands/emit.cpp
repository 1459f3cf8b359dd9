// SPDX-License-Identifier: MIT
// emit KERNEL: prints the GLSL; writes SPIR-V and the interface to files. Needs no device.
//
// For a plan of several kernels, the GLSL of all is printed, the SPIR-V of each goes to a file of its own, the
// interface lists the steps with their arguments for this size, and --kernel writes one file for the plan.
//
// Several devices or sizes of subgroups are variants in one file of --kernel.

#include "commands/emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <span>
#include <variant>

#include "commands/kernel_names.hpp"
#include "commands/open_device.hpp"
#include "commands/options.hpp"
#include "io/output_file.hpp"
#include "io/program.hpp"
#include "registry/operations.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/path_text.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/argument_names.hpp"
#include "vkmoye/contract/compiled_file.hpp"
#include "vkmoye/contract/interface_json.hpp"
#include "vkmoye/contract/json.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/passes/sizes_from_buffer.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {
namespace {

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

// A step and its compiled kernel.
struct Emitted {
  const Step& step;
  CompiledKernel compiled;
  std::string spirv;  // the file, as the user typed it; empty: none
};

// What the kernel takes when it runs or is loaded: sizes, strides, factors.
std::vector<std::string> arguments_of(const KernelInterface& kernel) {
  std::vector<std::string> names = argument_names(kernel);
  for (const SpecialisedArgument& one : kernel.specialised) names.push_back(one.name);
  return names;
}

// What the file of --kernel holds: one kernel, or a plan, which also has the arguments of its steps.
struct Held {
  CompiledFile file;
  std::string words;  // for the user
};

// If sizes are given, or the kernel has arrays of its own, it is a plan.
Held held_by_file(const RunPlan& plan, const std::vector<Emitted>& kernels,
                  const CommandOptions& options, const Extents& size) {
  const std::vector<std::string> names = arguments_of(kernels.front().compiled.interface);
  const bool is_sized = !options.sizes.empty() && !names.empty();
  const bool has_scratch = plan.given < plan.arrays.size();
  if (kernels.size() == 1 && !is_sized && !has_scratch) {
    return {kernels.front().compiled,
            names.empty() ? "a kernel without arguments"
                          : fmt::format("a kernel with the arguments {}", join(names, ", "))};
  }
  CompiledPlan out;
  out.name = kernels[plan.main].compiled.interface.name;
  for (const Array& array : plan.arrays) {
    auto& arrays = out.arrays.size() < plan.given ? out.arrays : out.scratch;
    arrays.push_back({array.name, array.bytes - std::min(array.bytes, array.offset)});
  }
  for (const Emitted& one : kernels) {
    out.steps.push_back({one.compiled, one.step.arguments, one.step.arrays, one.step.indirect});
  }
  std::string words = fmt::format("a plan of {} kernel{} for {}", kernels.size(),
                                  kernels.size() == 1 ? "" : "s", size_text(size));
  return {std::move(out), std::move(words)};
}

// The interface of `plan`, made for the size of `workload`.
Json to_json(const Workload& workload, const RunPlan& plan, const std::vector<Emitted>& kernels) {
  Json arrays = Json::array(), steps = Json::array();
  for (const Array& array : plan.arrays) {
    arrays.push_back({{"name", array.name},
                      {"bytes", array.bytes},
                      {"offset", array.offset},
                      {"input", or_null(array.input)}});
  }
  for (const Emitted& one : kernels) {
    Json arguments = Json::object();
    for (const auto& [name, argument] : one.step.arguments) {
      std::visit([&, &key = name](const auto& value) { arguments[key] = value; }, argument.value);
    }
    Json step = interface_to_json(one.compiled.interface);
    step["spirv"] = or_null(one.spirv);
    step["arrays"] = one.step.arrays;
    step["arguments"] = arguments;
    step["beforehand"] = steps.size() < plan.beforehand;
    if (one.step.indirect) step["indirect"] = *one.step.indirect;
    steps.push_back(std::move(step));
  }
  return {{"schema", 1},
          {"kernel", workload.entry->name},
          {"type", workload.problem->type_text},
          {"size", workload.problem->size},
          {"arrays", arrays},
          {"result", plan.result},
          {"steps", steps},
          {"steps_rule",
           "run the steps in order, each after the writes of the earlier ones are "
           "visible; run those with beforehand only once; arrays: the index in the "
           "list above for each binding; arguments: those for this size; indirect: the array with "
           "the groups of the step, for vkCmdDispatchIndirect"},
          {"left_out", plan.left_out}};
}

// k.spv for one kernel; k.1.spv, k.2.spv .. for several. `option`: the one that names the file.
std::vector<std::string> files_of(const char* option, const std::string& file,
                                  std::size_t kernels) {
  if (file.empty() || kernels == 1) return std::vector<std::string>(kernels, file);
  std::error_code none;
  const std::filesystem::path path = path_of(file);
  if (file == "-" ||
      (std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none))) {
    throw ArgumentError(
        fmt::format("{} {}: the plan has {} kernels, each written to a file of its "
                    "own; give the name of a file",
                    option, file, kernels));
  }
  std::vector<std::string> files;
  for (std::size_t i = 1; i <= kernels; ++i) {
    const std::string name =
        fmt::format("{}.{}{}", path_text(path.stem()), i, path_text(path.extension()));
    files.push_back(path_text(path.parent_path() / path_of(name)));
  }
  return files;
}

// A file to write, and the option that names it.
struct Target {
  const char* option;
  std::string file;
};

// Throws ArgumentError if two of `targets` are the same file.
void refuse_same_file(const std::vector<Target>& targets) {
  const auto place = [](const std::string& file) {
    return file == "-" ? file
                       : path_text(std::filesystem::absolute(path_of(file)).lexically_normal());
  };
  for (const Target& one : targets) {
    for (const Target& other : targets) {
      if (&one >= &other || one.file.empty() || other.file.empty()) continue;
      if (place(one.file) != place(other.file)) continue;
      throw ArgumentError(fmt::format("emit: {} and {} name the same {}", one.option, other.option,
                                      one.file == "-" ? "stdout" : "file, " + one.file));
    }
  }
}

// What `emit` was asked for.
struct Emission {
  DeviceCaps caps;
  Workload workload;
  RunPlan plan;
};

Emission described(const CommandOptions& options) {
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

// The steps of `emission`, which must outlive them. `spirv`: the file of each.
std::vector<Emitted> compiled(const Emission& emission, const CommandOptions& options,
                              const std::vector<std::string>& spirv) {
  const auto& [caps, workload, plan] = emission;
  if (!options.kernel_file.empty() && !plan.left_out.empty()) {
    throw ArgumentError(
        fmt::format("emit --kernel: a file needs every step, and some are missing: {}",
                    join(plan.left_out, "; ")));
  }
  std::vector<Emitted> kernels;
  for (const Step& step : plan.steps) {
    if (!options.device.empty()) {
      require_fit(workload.entry->name, gen::ir::interface_of(step.kernel), caps);
    }
    kernels.push_back({step, gen::compile(step.kernel), spirv[kernels.size()]});
  }
  return kernels;
}

// `options`, once for each --device and each --subgroup-size.
std::vector<CommandOptions> each_variant(const CommandOptions& options) {
  constexpr const char* kLanes = "subgroup-size";
  const auto lanes = options.config.find(kLanes);
  const auto sizes =
      lanes == options.config.end() ? std::vector<std::string>{} : split(lanes->second, ',');
  const auto devices = options.devices.empty() ? std::vector<std::string>{""} : options.devices;
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

// What --kernel writes for `options`, which lists no variants.
Held held_by_file(const CommandOptions& options) {
  const Emission emission = described(options);
  const std::vector<std::string> no_files(emission.plan.steps.size());
  return held_by_file(emission.plan, compiled(emission, options, no_files), options,
                      emission.workload.problem->size);
}

// The text of the file of --kernel.
struct KernelFile {
  std::string text;
  std::string words;  // for the user
};

KernelFile kernel_file(const std::vector<CommandOptions>& variants) {
  std::vector<CompiledFile> files;
  std::string words;
  for (const CommandOptions& options : variants) {
    Held held = held_by_file(options);
    if (files.empty()) words = std::move(held.words);
    files.push_back(std::move(held.file));
  }
  if (files.size() > 1) words = fmt::format("{} variants, each {}", files.size(), words);
  return {variants_text(files), std::move(words)};
}

int emit_variants(const CommandOptions& options, const std::vector<CommandOptions>& variants) {
  if (options.kernel_file.empty() || !options.spirv.empty() || !options.interface.empty()) {
    throw ArgumentError(
        "emit: several values of --device or --subgroup-size are variants in one file, so they "
        "need "
        "--kernel, and neither --spirv nor --interface");
  }
  const KernelFile file = kernel_file(variants);
  OutputFile written(options.kernel_file);
  written.write(file.text);
  written.commit();
  fmt::print(stderr, "{}: {}\n", options.kernel_file, file.words);
  return kOk;
}

int emit(const CommandOptions& given) {
  const std::vector<CommandOptions> variants = each_variant(given);
  if (variants.size() > 1) return emit_variants(given, variants);
  const CommandOptions& options = variants.front();
  const Emission emission = described(options);
  const Workload& workload = emission.workload;
  const RunPlan& plan = emission.plan;
  const auto spirv = files_of("--spirv", options.spirv, plan.steps.size());
  std::vector<Target> targets;
  for (const std::string& file : spirv) targets.push_back({"--spirv", file});
  targets.push_back({"--kernel", options.kernel_file});
  targets.push_back({"--interface", options.interface});
  refuse_same_file(targets);
  const std::vector<Emitted> kernels = compiled(emission, options, spirv);
  const bool is_alone = kernels.size() == 1 && plan.left_out.empty();
  // All files are written before the first is committed, so that a call makes all of them or none.
  std::vector<std::unique_ptr<OutputFile>> written;
  std::string holds;  // what the file of --kernel has
  for (const Emitted& one : kernels) {
    if (!one.spirv.empty()) {
      written.push_back(std::make_unique<OutputFile>(one.spirv));
      written.back()->write(std::as_bytes(std::span(one.compiled.spirv)));
    }
  }
  if (!options.kernel_file.empty()) {
    written.push_back(std::make_unique<OutputFile>(options.kernel_file));
    const Held held = held_by_file(plan, kernels, options, workload.problem->size);
    written.back()->write(variants_text({held.file}));
    holds = fmt::format("{}: {}", options.kernel_file, held.words);
  }
  if (!options.interface.empty()) {
    const Json interface = is_alone ? interface_to_json(kernels.front().compiled.interface)
                                    : to_json(workload, plan, kernels);
    written.push_back(std::make_unique<OutputFile>(options.interface));
    written.back()->write(interface.dump(2) + "\n");
  }
  for (const auto& file : written) file->commit();
  if (!holds.empty()) fmt::print(stderr, "{}\n", holds);
  for (const std::string& what : plan.left_out) {
    print_error(fmt::format("emit: left out: {}", what));
  }
  for (const Target& target : targets) {
    if (target.file == "-") return kOk;
  }
  for (const Emitted& one : kernels) {
    std::cout << (&one == &kernels.front() ? "" : "\n") << one.compiled.glsl;
  }
  return kOk;
}

}  // namespace

std::string emitted_kernel_file(const CommandOptions& options) {
  return kernel_file(each_variant(options)).text;
}

const Command kEmit = {
    CommandName::emit, "print the GLSL of a kernel or plan; needs no device",
    "Examples:\n  vkmoye-bench emit transpose/padded\n"
    "  vkmoye-bench emit copy/simple --type f16 --spirv c.spv --interface c.json\n"
    "  vkmoye-bench emit gemm/simt --split-k 8 --spirv k.spv     # k.1.spv, k.2.spv\n"
    "  vkmoye-bench emit gemm/simt --kernel k.json       # for run --kernel k.json\n"
    "  vkmoye-bench emit gemm/simt --split-k 8 --size 64x64x8192 --kernel p.json\n"
    "  vkmoye-bench emit gemm/simt --size 9x9x9 --sizes-from-buffer m --kernel p.json\n"
    "  vkmoye-bench emit gemm/simt --specialise n,k --kernel k.json\n"
    "  vkmoye-bench emit softmax/rows --subgroup-size 32,64,16,8,1 --kernel s.json",
    emit};

}  // namespace vkmoye::bench
