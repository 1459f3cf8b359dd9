// emit KERNEL: the GLSL on stdout; the SPIR-V and the calling interface into files. No device.

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

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
      {"strides_rule", "elements from one coordinate along each mode to the next; none: compact"},
      {"workgroup_size", kernel.workgroup_size},
      {"needs",
       {{"vulkan", "1.2"},
        {"features", features},
        {"matrices", matrices},
        {"subgroup_size", kernel.subgroup_size},
        {"shared_bytes", kernel.shared_bytes},
        {"push_constant_bytes", push_constant_bytes(kernel)},
        {"storage_buffers", kernel.bindings.size()}}}};
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

int emit(const Given& given) {
  const gen::KernelEntry& entry = find_one_kernel(given.kernels.front());
  refuse_useless_values(given.values, {&entry});
  if (given.spirv == given.interface && !given.spirv.empty()) {
    throw ArgumentError(fmt::format("emit: --spirv and --interface name the same {}",
                                    given.spirv == "-" ? "stdout" : "file, " + given.spirv));
  }
  const DeviceCaps caps = described_for(given.device);
  const gen::ir::Kernel kernel = workload_of(entry, given)->describe(caps);
  if (!given.device.empty()) require_fit(entry.name, gen::ir::interface_of(kernel), caps);
  const CompiledKernel compiled = gen::compile(kernel);
  // Both are written before either is there: all files of a call, or none.
  std::optional<OutputFile> spirv, interface;
  if (!given.spirv.empty()) {
    spirv.emplace(given.spirv).write(std::as_bytes(std::span(compiled.spirv)));
  }
  if (!given.interface.empty()) {
    interface.emplace(given.interface).write(to_json(compiled.interface).dump(2) + "\n");
  }
  if (spirv) spirv->commit();
  if (interface) interface->commit();
  if (given.spirv != "-" && given.interface != "-") std::cout << compiled.glsl;
  return kOk;
}

}  // namespace

const Command kEmit = {
    CommandName::emit, "the GLSL of a kernel on stdout; needs no device",
    "Examples:\n  vkmoye-bench emit transpose/padded\n"
    "  vkmoye-bench emit copy/simple --type f16 --spirv c.spv --interface c.json",
    emit};

}  // namespace vkmoye::bench
