// SPDX-License-Identifier: MIT
// emit KERNEL: prints the GLSL; writes SPIR-V and the interface to files. Needs no device.
//
// For a plan of several kernels, the GLSL of all is printed, the SPIR-V of each goes to a file of its own, the
// interface lists the steps with their arguments for this size, and --kernel writes one file for the plan.
//
// Several devices or sizes of subgroups are variants in one file of --kernel.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <span>
#include <variant>

#include "commands/emission.hpp"
#include "commands/options.hpp"
#include "io/output_file.hpp"
#include "io/program.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/path_text.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/interface_json.hpp"
#include "vkmoye/contract/json.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {
namespace {

// The interface of a plan, made for the size of the workload. `spirv`: the file of each step; empty: none.
Json to_json(const Emission& emission, const std::vector<CompiledKernel>& kernels,
             const std::vector<std::string>& spirv) {
  const auto& [caps, workload, plan] = emission;
  Json arrays = Json::array(), steps = Json::array();
  for (const Array& array : plan.arrays) {
    arrays.push_back({{"name", array.name},
                      {"bytes", array.bytes},
                      {"offset", array.offset},
                      {"input", or_null(array.input)}});
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const Step& of_plan = plan.steps[i];
    Json arguments = Json::object();
    for (const auto& [name, argument] : of_plan.arguments) {
      std::visit([&, &key = name](const auto& value) { arguments[key] = value; }, argument.value);
    }
    Json step = interface_to_json(kernels[i].interface);
    step["spirv"] = or_null(spirv[i]);
    step["arrays"] = of_plan.arrays;
    step["arguments"] = arguments;
    step["beforehand"] = i < plan.beforehand;
    if (of_plan.indirect) step["indirect"] = *of_plan.indirect;
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

int emit_variants(const CommandOptions& options, const std::vector<CommandOptions>& variants) {
  if (options.kernel_file.empty() || !options.spirv.empty() || !options.interface.empty()) {
    throw ArgumentError(
        "emit: several values of --device or --subgroup-size are variants in one file, so they "
        "need --kernel, and neither --spirv nor --interface");
  }
  const KernelFile file = kernel_file(variants);
  OutputFile written(options.kernel_file);
  written.write(file.text);
  written.commit();
  fmt::print(stderr, "{}: {}\n", options.kernel_file, file.summary);
  for (const std::string& what : file.left_out) print_error("emit: left out: " + what);
  return kOk;
}

int emit(const CommandOptions& given) {
  const std::vector<CommandOptions> variants = variants_in(given);
  if (variants.size() > 1) return emit_variants(given, variants);
  const CommandOptions& options = variants.front();
  const Emission emission = described_emission(options);
  const RunPlan& plan = emission.plan;
  const auto spirv = files_of("--spirv", options.spirv, plan.steps.size());
  std::vector<Target> targets;
  for (const std::string& file : spirv) targets.push_back({"--spirv", file});
  targets.push_back({"--kernel", options.kernel_file});
  targets.push_back({"--interface", options.interface});
  refuse_same_file(targets);
  const std::vector<CompiledKernel> kernels = compiled_steps(emission, options);
  // All files are written before the first is committed, so that a call makes all of them or none.
  std::vector<std::unique_ptr<OutputFile>> written;
  std::string summary;  // of the file of --kernel
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (spirv[i].empty()) continue;
    written.push_back(std::make_unique<OutputFile>(spirv[i]));
    written.back()->write(std::as_bytes(std::span(kernels[i].spirv)));
  }
  if (!options.kernel_file.empty()) {
    written.push_back(std::make_unique<OutputFile>(options.kernel_file));
    const Content content = content_of(emission, kernels, options);
    written.back()->write(variants_text({content.file}));
    summary = fmt::format("{}: {}", options.kernel_file, content.summary);
  }
  if (!options.interface.empty()) {
    const bool is_alone = kernels.size() == 1 && plan.left_out.empty();
    const Json interface =
        is_alone ? interface_to_json(kernels.front().interface) : to_json(emission, kernels, spirv);
    written.push_back(std::make_unique<OutputFile>(options.interface));
    written.back()->write(interface.dump(2) + "\n");
  }
  for (const auto& file : written) file->commit();
  if (!summary.empty()) fmt::print(stderr, "{}\n", summary);
  for (const std::string& what : plan.left_out) {
    print_error(fmt::format("emit: left out: {}", what));
  }
  for (const Target& target : targets) {
    if (target.file == "-") return kOk;
  }
  for (const CompiledKernel& one : kernels) {
    std::cout << (&one == &kernels.front() ? "" : "\n") << one.glsl;
  }
  return kOk;
}

}  // namespace

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
