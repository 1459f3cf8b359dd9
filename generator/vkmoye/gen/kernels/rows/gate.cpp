// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/gate.hpp"

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/common/activations.hpp"
#include "vkmoye/gen/kernels/common/powers.hpp"
#include "vkmoye/gen/kernels/common/threads_config.hpp"
#include "vkmoye/gen/kernels/common/tiled_array.hpp"
#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {
namespace {

std::vector<std::string> reasons_against(const GateConfig& config) {
  std::vector<std::string> reasons;
  require_power_of_two("threads", config.threads, 1024, reasons);
  require_power_of_two("rounds", config.rounds, 16, reasons);
  require_access(config.type, config.vector_bytes, reasons);
  return reasons;
}

// As a config of rows: one row of all elements.
ThreadsConfig of_one_row(const GateConfig& config) {
  ThreadsConfig row;
  row.type = config.type;
  row.threads = row.columns = config.threads;
  row.rounds = config.rounds;
  row.vector_bytes = config.vector_bytes;
  row.subgroup_size = 1;  // lanes exchange nothing
  return row;
}

}  // namespace

const std::vector<ConfigField<GateConfig>>& gate_fields() {
  static const auto fields = [] {
    auto function = choice_field<GateConfig, GateFunction>("function", "the function of src",
                                                           {"silu", "gelu"}, &GateConfig::function);
    function.changes_result = true;
    return std::vector<ConfigField<GateConfig>>{
        numbers_field<GateConfig>("threads", "threads of a workgroup", {&GateConfig::threads}),
        numbers_field<GateConfig>("rounds", "accesses that a thread has in flight to each array",
                                  {&GateConfig::rounds}),
        numbers_field<GateConfig>("vector", "bytes of an access, at most 16",
                                  {&GateConfig::vector_bytes}),
        function};
  }();
  return fields;
}

ir::Kernel gate(const GateConfig& config, const std::string& name) {
  throw_if_any(name, reasons_against(config));
  const ThreadsConfig row = of_one_row(config);
  throw_if_any(name, reasons_against_rows(row));

  Builder k(name, config.threads);
  k.header(typed_items(gate_fields(), config),
           "flat arrays: each element is read and written once");
  const Extent count("cols", "rows");
  const std::vector<Builder::AxisSpec> axes = {{"at", count}};
  const Tensor src = k.input("src", config.type, axes);
  const Tensor gated = k.input("gated", config.type, axes);
  const Tensor dst = k.output("dst", config.type, axes);
  const IntTuple block = {row.threads * row.width() * row.rounds, 1};
  TiledArray values(k, src, block, row.tiled_copy());
  TiledArray factors(k, gated, block, row.tiled_copy());
  TiledArray result(k, dst, block, row.tiled_copy());
  const View x = values.registers("x", ScalarType::f32);   // (value, round, 1)
  const View y = factors.registers("y", ScalarType::f32);  // the same

  const Expr zero = ir::number(ScalarType::f32, 0);
  values.load({k.block_x()}, x, zero);
  factors.load({k.block_x()}, y, zero);
  const bool is_gelu = config.function == GateFunction::gelu;
  k.with_title(is_gelu ? "x <- gelu(x) * y" : "x <- silu(x) * y", [&] {
    k.apply(
        x,
        [&](const Expr& v, const Expr& factor) {
          return (is_gelu ? gelu(k, v) : silu(k, v)) * factor;
        },
        x, y);
  });
  result.store({k.block_x()}, x);
  return k.finish();
}

}  // namespace vkmoye::gen
