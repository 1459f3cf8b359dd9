// emit KERNEL: the GLSL on stdout; the SPIR-V and the calling interface into files. No device.
//
// Where several kernels run one after the other, all of them: their texts one below the other, the SPIR-V of
// each in a file of its own, one interface that lists the steps, with what each is given for this size.

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
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/compile.hpp"
#include "workloads/operation.hpp"

namespace vkmoye::bench {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const Extent& extent) {
  return extent.is_symbol() ? ordered_json(to_string(extent)) : ordered_json(extent.value);
}

ordered_json to_json(const KernelInterface& kernel) {
  ordered_json bindings = ordered_json::array();
  for (const Binding& binding : kernel.bindings) {
    ordered_json extents = ordered_json::array();
    for (const Extent& extent : binding.extents) extents.push_back(to_json(extent));
    ordered_json strides = ordered_json::array();
    for (const Extent& stride : binding.strides) strides.push_back(to_json(stride));
    bindings.push_back({{"set", 0},
                        {"binding", bindings.size()},
                        {"name", binding.name},
                        {"type", to_string(binding.type)},
                        {"access", to_string(binding.access)},
                        {"alignment", binding.alignment},
                        {"reach", to_string(binding.reach)},
                        {"extents", extents},
                        {"strides", strides}});
  }
  ordered_json constants = ordered_json::array();
  const auto offsets = push_constant_offsets(kernel);
  for (const PushConstant& constant : kernel.push_constants) {
    constants.push_back({{"name", constant.name},
                         {"type", to_string(constant.type)},
                         {"offset", offsets[constants.size()]}});
  }
  ordered_json grid = ordered_json::array();
  for (const GridDimension& dimension : kernel.grid) {
    grid.push_back({{"extent", to_json(dimension.extent)}, {"tile", dimension.tile}});
    if (dimension.most > 0) grid.back()["most"] = dimension.most;
  }
  ordered_json features = ordered_json::array();
  for (const Feature feature : kernel.features.list()) features.push_back(to_string(feature));
  ordered_json matrices = ordered_json::array();
  for (const MatrixShape& shape : kernel.matrices) matrices.push_back(to_string(shape));
  return {
      {"schema", 1},
      {"kernel", kernel.name},
      {"entry_point", "main"},
      {"bindings", bindings},
      {"push_constants", constants},
      {"grid", grid},
      {"grid_rule",
       "groups[i] = ceil(extent / tile), no more than most where it is given; set each "
       "first_group_* to 0, or to the first group of "
       "each piece of a grid dispatched in pieces"},
      {"reach_rule",
       "descriptor: a storage buffer bound at set and binding; pointer: NAME_address is the "
       "address of "
       "the first element (vkGetBufferDeviceAddress and the offset)"},
      {"strides_rule", "elements from one coordinate along each mode to the next; none: compact"},
      {"workgroup_size", kernel.workgroup_size},
      {"needs",
       {{"vulkan", "1.2"},
        {"features", features},
        {"matrices", matrices},
        {"subgroup_size", kernel.subgroup_size},
        {"shared_bytes", kernel.shared_bytes},
        {"push_constant_bytes", push_constant_bytes(kernel)},
        {"storage_buffers", descriptor_count(kernel)}}}};
}

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
    ordered_json step = to_json(one.compiled.interface);
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

// k.spv, of several kernels k.1.spv, k.2.spv ..
std::vector<std::string> spirv_files(const std::string& file, std::size_t kernels) {
  if (file.empty() || kernels == 1) return std::vector<std::string>(kernels, file);
  std::error_code none;
  const std::filesystem::path path = file;
  if (file == "-" ||
      (std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none))) {
    throw ArgumentError(
        fmt::format("--spirv {}: there are {} kernels, one after the other, for as "
                    "many files; give the name of a file",
                    file, kernels));
  }
  std::vector<std::string> files;
  for (std::size_t i = 1; i <= kernels; ++i) {
    const std::string name =
        fmt::format("{}.{}{}", path.stem().string(), i, path.extension().string());
    files.push_back((path.parent_path() / name).string());
  }
  return files;
}

// Throws ArgumentError if --interface names one of `spirv`.
void refuse_same_file(const std::string& interface, const std::vector<std::string>& spirv) {
  const auto is_same = [&](const std::string& file) {
    const auto place = [](const std::string& name) {
      return std::filesystem::absolute(name).lexically_normal();
    };
    return file == interface ||
           (file != "-" && interface != "-" && !file.empty() && place(file) == place(interface));
  };
  if (interface.empty() || std::none_of(spirv.begin(), spirv.end(), is_same)) return;
  throw ArgumentError(fmt::format("emit: --spirv and --interface name the same {}",
                                  interface == "-" ? "stdout" : "file, " + interface));
}

int emit(const Given& given) {
  const gen::KernelEntry& entry = find_one_kernel(given.kernels.front());
  refuse_useless_values(given.values, {&entry});
  const DeviceCaps caps = described_for(given.device);
  const auto workload = workload_of(entry, given);
  const Plan plan = workload->described_plan(caps);
  const std::vector<std::string> files = spirv_files(given.spirv, plan.steps.size());
  refuse_same_file(given.interface, files);
  std::vector<Emitted> kernels;
  for (const Step& step : plan.steps) {
    if (!given.device.empty()) require_fit(entry.name, gen::ir::interface_of(step.kernel), caps);
    kernels.push_back({step, gen::compile(step.kernel), files[kernels.size()]});
  }
  const bool is_alone = kernels.size() == 1 && plan.left_out.empty();
  // All are written before any is there: all files of a call, or none.
  std::vector<std::unique_ptr<OutputFile>> written;
  for (const Emitted& one : kernels) {
    if (one.spirv.empty()) continue;
    written.push_back(std::make_unique<OutputFile>(one.spirv));
    written.back()->write(std::as_bytes(std::span(one.compiled.spirv)));
  }
  if (!given.interface.empty()) {
    const ordered_json interface =
        is_alone ? to_json(kernels.front().compiled.interface) : to_json(*workload, plan, kernels);
    written.push_back(std::make_unique<OutputFile>(given.interface));
    written.back()->write(interface.dump(2) + "\n");
  }
  for (const auto& file : written) file->commit();
  for (const std::string& what : plan.left_out) {
    fmt::print(stderr, "vkmoye-bench: emit: left out: {}\n", what);
  }
  if (given.spirv == "-" || given.interface == "-") return kOk;
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
    "  vkmoye-bench emit gemm/simt --split-k 8 --spirv k.spv     # k.1.spv, k.2.spv",
    emit};

}  // namespace vkmoye::bench
