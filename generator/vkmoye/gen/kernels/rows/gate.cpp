// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/gate.hpp"

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/common/activations.hpp"
#include "vkmoye/gen/kernels/rows/staged_row.hpp"

namespace vkmoye::gen {

GateConfig gate_config(ScalarType type, const DeviceCaps& device) {
  return {threads_config(type, device)};
}

const std::vector<ConfigField<GateConfig>>& gate_fields() {
  static const auto fields = [] {
    auto function = choice_field<GateConfig, GateFunction>("function", "the function of src",
                                                           {"silu", "gelu"}, &GateConfig::function);
    function.changes_result = true;
    return joined<GateConfig>(threads_fields<GateConfig>(), {function});
  }();
  return fields;
}

ir::Kernel gate(const GateConfig& wanted, const std::string& name) {
  const GateConfig config = fitted_to_rows(wanted);
  throw_if_any(name, reasons_against_rows(config));

  Builder k(name, config.threads, to_index(config.subgroup_size));
  k.describe(typed_items(gate_fields(), config), "each element is read and written once");
  const Tensor src = k.input("src", config.type, kRowAxes);
  const Tensor gated = k.input("gated", config.type, kRowAxes);
  const Tensor dst = k.output("dst", config.type, kRowAxes);
  const Expr zero = ir::number(ScalarType::f32, 0);
  Row row(k, config, src, zero);
  Blocks factors(k, gated, row.block(), config.tiled_copy());
  Blocks result(k, dst, row.block(), config.tiled_copy());
  const View x = row.x();                                  // (value, round, 1)
  const View y = factors.registers("y", ScalarType::f32);  // the same
  const bool is_gelu = config.function == GateFunction::gelu;
  row.pass([&](const Expr& block) {
    factors.load({block, k.block_x()}, y, zero);
    k.with_title(is_gelu ? "x <- gelu(x) * y" : "x <- silu(x) * y", [&] {
      k.apply(
          x,
          [&](const Expr& v, const Expr& factor) {
            return (is_gelu ? gelu(k, v) : silu(k, v)) * factor;
          },
          x, y);
    });
    result.store({block, k.block_x()}, x);
  });
  return k.finish();
}

}  // namespace vkmoye::gen
