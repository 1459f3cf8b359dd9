// SPDX-License-Identifier: MIT
// emit KERNEL: the GLSL on stdout; the SPIR-V and the calling interface into files. No device.
//
// Where several kernels run one after the other, all of them: their texts one below the other, the SPIR-V of
// each in a file of its own, one interface that lists the steps, with what each is given for this size, and one
// file of the plan.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <variant>

#include "commands/command.hpp"
#include "commands/kernel_names.hpp"
#include "commands/open_device.hpp"
#include "io/output_file.hpp"
#include "io/program.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/interface_json.hpp"
#include "vkmoye/contract/kernel_file.hpp"
#include "vkmoye/contract/plan_file.hpp"
#include "vkmoye/gen/compile.hpp"
#include "workloads/operation.hpp"

namespace vkmoye::bench {
namespace {

using nlohmann::ordered_json;

// A kernel made for one shape is made for this one; others take their sizes when they run.
std::unique_ptr<Workload> workload_of(const gen::KernelEntry& entry, const Given& given) {
  const Operation& operation = operation_of(entry);
  const Question question = {&entry, one_type(given, "f32"), given.config, given.values};
  const Extents size = size_of_form(operation.size, one_size(given, operation.size.example));
  auto workload = operation.of_size(question, size);
  if (!given.sizes.empty() && !workload->request().shape) {
    throw ArgumentError(fmt::format("--size: {} takes its sizes when it runs", entry.name));
  }
  return workload;
}

// A step and what is made of its kernel.
struct Emitted {
  const Step& step;
  CompiledKernel compiled;
  std::string spirv;  // the file, as the user would write it; empty: none
};

// What --kernel writes: one kernel, or all of a plan, made for the size of `workload`.
std::string file_text(const Workload& workload, const Plan& plan,
                      const std::vector<Emitted>& kernels) {
  if (kernels.size() == 1) return kernel_text(kernels.front().compiled);
  CompiledPlan out;
  out.name = kernels[plan.main].compiled.interface.name;
  const std::size_t given = workload.arrays().size();
  for (const Array& array : plan.arrays) {
    auto& arrays = out.arrays.size() < given ? out.arrays : out.scratch;
    arrays.push_back({array.name, array.bytes - std::min(array.bytes, array.offset)});
  }
  for (const Emitted& one : kernels) {
    out.steps.push_back({one.compiled, one.step.arguments, one.step.arrays});
  }
  return plan_text(out);
}

// Of `plan`, made for the size of `workload`.
ordered_json to_json(const Workload& workload, const Plan& plan,
                     const std::vector<Emitted>& kernels) {
  ordered_json arrays = ordered_json::array(), steps = ordered_json::array();
  for (const Array& array : plan.arrays) {
    arrays.push_back({{"name", array.name},
                      {"bytes", array.bytes},
                      {"offset", array.offset},
                      {"input", array.input ? ordered_json(*array.input) : ordered_json(nullptr)}});
  }
  for (const Emitted& one : kernels) {
    ordered_json arguments = ordered_json::object();
    for (const auto& [name, argument] : one.step.arguments) {
      std::visit([&, &key = name](const auto& value) { arguments[key] = value; }, argument.value);
    }
    ordered_json step = interface_to_json(one.compiled.interface);
    step["spirv"] = one.spirv.empty() ? ordered_json(nullptr) : ordered_json(one.spirv);
    step["arrays"] = one.step.arrays;
    step["arguments"] = arguments;
    step["beforehand"] = steps.size() < plan.beforehand;
    steps.push_back(std::move(step));
  }
  return {{"schema", 1},
          {"kernel", workload.entry().name},
          {"type", workload.type_text()},
          {"size", workload.size()},
          {"arrays", arrays},
          {"result", plan.result},
          {"steps", steps},
          {"steps_rule",
           "in order, each after what those before it wrote is visible; those "
           "beforehand once for all runs; arrays: of each binding its number among "
           "those above; arguments: of this size"},
          {"left_out", plan.left_out}};
}

// k.spv, of several kernels k.1.spv, k.2.spv .. `option`: which one names the file.
std::vector<std::string> files_of(const char* option, const std::string& file,
                                  std::size_t kernels) {
  if (file.empty() || kernels == 1) return std::vector<std::string>(kernels, file);
  std::error_code none;
  const std::filesystem::path path = file;
  if (file == "-" ||
      (std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none))) {
    throw ArgumentError(
        fmt::format("{} {}: there are {} kernels, one after the other, for as "
                    "many files; give the name of a file",
                    option, file, kernels));
  }
  std::vector<std::string> files;
  for (std::size_t i = 1; i <= kernels; ++i) {
    const std::string name =
        fmt::format("{}.{}{}", path.stem().string(), i, path.extension().string());
    files.push_back((path.parent_path() / name).string());
  }
  return files;
}

// What is written, and which option says where.
struct Target {
  const char* option;
  std::string file;
};

// Throws ArgumentError if two of `targets` are one.
void refuse_same_file(const std::vector<Target>& targets) {
  const auto place = [](const std::string& file) {
    return file == "-" ? file : std::filesystem::absolute(file).lexically_normal().string();
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

int emit(const Given& given) {
  const gen::KernelEntry& entry = find_one_kernel(given.kernels.front());
  refuse_useless_values(given.values, {&entry});
  const DeviceCaps caps = described_for(given.device);
  const auto workload = workload_of(entry, given);
  const Plan plan = workload->described_plan(caps);
  const auto spirv = files_of("--spirv", given.spirv, plan.steps.size());
  std::vector<Target> targets;
  for (const std::string& file : spirv) targets.push_back({"--spirv", file});
  targets.push_back({"--kernel", given.kernel_file});
  targets.push_back({"--interface", given.interface});
  refuse_same_file(targets);
  if (!given.kernel_file.empty() && !plan.left_out.empty()) {
    throw ArgumentError(fmt::format("emit --kernel: a file has all steps, and there are not: {}",
                                    join(plan.left_out, "; ")));
  }
  std::vector<Emitted> kernels;
  for (const Step& step : plan.steps) {
    if (!given.device.empty()) require_fit(entry.name, gen::ir::interface_of(step.kernel), caps);
    kernels.push_back({step, gen::compile(step.kernel), spirv[kernels.size()]});
  }
  const bool is_alone = kernels.size() == 1 && plan.left_out.empty();
  // All are written before any is there: all files of a call, or none.
  std::vector<std::unique_ptr<OutputFile>> written;
  for (const Emitted& one : kernels) {
    if (!one.spirv.empty()) {
      written.push_back(std::make_unique<OutputFile>(one.spirv));
      written.back()->write(std::as_bytes(std::span(one.compiled.spirv)));
    }
  }
  if (!given.kernel_file.empty()) {
    written.push_back(std::make_unique<OutputFile>(given.kernel_file));
    written.back()->write(file_text(*workload, plan, kernels));
  }
  if (!given.interface.empty()) {
    const ordered_json interface = is_alone ? interface_to_json(kernels.front().compiled.interface)
                                            : to_json(*workload, plan, kernels);
    written.push_back(std::make_unique<OutputFile>(given.interface));
    written.back()->write(interface.dump(2) + "\n");
  }
  for (const auto& file : written) file->commit();
  for (const std::string& what : plan.left_out) {
    complain(fmt::format("emit: left out: {}", what));
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

const Command kEmit = {
    CommandName::emit, "the GLSL of a kernel, or of all of a plan, on stdout; needs no device",
    "Examples:\n  vkmoye-bench emit transpose/padded\n"
    "  vkmoye-bench emit copy/simple --type f16 --spirv c.spv --interface c.json\n"
    "  vkmoye-bench emit gemm/simt --split-k 8 --spirv k.spv     # k.1.spv, k.2.spv\n"
    "  vkmoye-bench emit gemm/simt --kernel k.json       # for run --kernel k.json\n"
    "  vkmoye-bench emit gemm/simt --split-k 8 --size 64x64x8192 --kernel p.json",
    emit};

}  // namespace vkmoye::bench
