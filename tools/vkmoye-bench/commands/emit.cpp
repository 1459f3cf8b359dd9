// emit KERNEL: the GLSL on stdout; the SPIR-V and the calling interface into files. No device.

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "commands/command.hpp"
#include "io/output_file.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/compile.hpp"
#include "workloads/problem.hpp"

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
        {"subgroup_size", kernel.subgroup_size},
        {"shared_bytes", kernel.shared_bytes},
        {"push_constant_bytes", push_constant_bytes(kernel)},
        {"storage_buffers", kernel.bindings.size()}}}};
}

struct EmitOptions {
  std::string kernel, spirv, interface, type = "f32", size;
  ConfigOptions config;
  GemmOptions gemm;
};

void emit(const EmitOptions& options) {
  const gen::KernelEntry& entry = find_one_kernel(options.kernel);
  options.gemm.refuse_without_product({&entry});
  gen::Request request = request_of(entry, options.type, options.config.given(), options.gemm);
  if (!options.size.empty()) {
    if (entry.operation != gen::Operation::relayout) {
      throw ArgumentError(fmt::format("emit: --size: {} takes its sizes when it runs", entry.name));
    }
    const auto sizes = parse_sizes({options.size});
    if (sizes.size() != 1) {
      throw ArgumentError(
          fmt::format("emit: --size {} is {} sizes, one is needed", options.size, sizes.size()));
    }
    request.shape = size_of_problem(entry.operation, sizes.front());
  }
  const CompiledKernel compiled = gen::compile(entry.describe(request));
  if (options.spirv == options.interface && !options.spirv.empty()) {
    throw ArgumentError("emit: --spirv and --interface name the same file, " + options.spirv);
  }
  // Both are written before either is there: all files of a call, or none.
  std::optional<OutputFile> spirv, interface;
  if (!options.spirv.empty()) {
    spirv.emplace(options.spirv).write(std::as_bytes(std::span(compiled.spirv)));
  }
  if (!options.interface.empty()) {
    interface.emplace(options.interface).write(to_json(compiled.interface).dump(2) + "\n");
  }
  if (spirv) spirv->commit();
  if (interface) interface->commit();
  std::cout << compiled.glsl;
}

}  // namespace

void add_emit(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("emit", "the GLSL of a kernel on stdout; needs no device");
  command->footer(
      "Examples:\n  vkmoye-bench emit transpose/padded\n"
      "  vkmoye-bench emit copy/simple --type f16 --spirv copy.spv --interface copy.json");
  auto options = std::make_shared<EmitOptions>();
  command->add_option("KERNEL", options->kernel, "family/variant")->required();
  command->add_option("--type", options->type,
                      "element type (f32); of a product also operands,accumulator,result");
  command
      ->add_option("--size", options->size,
                   "shape of the source, of a kernel made for one: relayout (32x64x128)")
      ->check(not_empty());
  command->add_option("--spirv", options->spirv, "write the SPIR-V into this file")
      ->check(not_empty());
  command
      ->add_option("--interface", options->interface, "write how to call it into this file, JSON")
      ->check(not_empty());
  options->config.add_to(*command);
  options->gemm.add_to(*command, GemmOptions::Command::emit);
  command->callback([options] { emit(*options); });
}

}  // namespace vkmoye::bench
