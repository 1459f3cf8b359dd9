// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/rms_norm.hpp"

#include <fmt/format.h>

#include <cfloat>
#include <optional>

#include "vkmoye/base/read_double.hpp"
#include "vkmoye/gen/kernels/rows/row_state.hpp"
#include "vkmoye/gen/kernels/rows/sum_of_squares.hpp"

namespace vkmoye::gen {
namespace {

bool parse_real(std::string_view text, double& value) {
  const auto [end, error] = read_double(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

RmsNormConfig rms_norm_config(ScalarType type, const DeviceCaps& device) {
  return {threads_config(type, device)};
}

const std::vector<ConfigField<RmsNormConfig>>& rms_norm_fields() {
  static const auto fields = joined<RmsNormConfig>(
      threads_fields<RmsNormConfig>(),
      {{"epsilon", "added to the mean of the squares, or to the variance", "a non-negative number",
        [](const RmsNormConfig& config) { return fmt::format("{}", config.epsilon); },
        [](const std::string& text, RmsNormConfig& config) {
          return parse_real(text, config.epsilon);
        },
        /*changes_result=*/true}});
  return fields;
}

std::vector<std::string> reasons_against(const RmsNormConfig& config) {
  auto reasons = reasons_against_rows(config);
  const bool is_valid =
      config.epsilon == 0 || (config.epsilon >= FLT_MIN && config.epsilon <= FLT_MAX);
  if (!is_valid) {
    reasons.push_back(fmt::format("epsilon {} is neither 0 nor a normal f32 number, {} to {}",
                                  config.epsilon, FLT_MIN, FLT_MAX));
  }
  return reasons;
}

namespace {

ir::Kernel norm_of(bool has_residual, const RmsNormConfig& wanted, const std::string& name,
                   RowPart part) {
  const RmsNormConfig config = fitted_to_rows(wanted);
  Builder k = row_builder(name, config, rms_norm_fields(), reasons_against(config), part,
                          {"rows that fit stay in registers, longer ones are read twice",
                           "the sum of the squares of each slice of a row",
                           "combines the slices of a row; a workgroup has a block of the row"});
  const bool is_last = part != RowPart::slices;  // it writes the result
  const Expr zero = ir::number(ScalarType::f32, 0);
  const Tensor src = k.input("src", config.type, kRowAxes);
  Tensor residual, weight, total, dst;
  if (has_residual) residual = k.input("residual", config.type, kRowAxes);
  if (is_last) weight = k.input("weight", config.type, {{"col", "cols"}});
  const SumOfSquares squares(k, config.type, config.epsilon);
  RowState state(k, config, part, {squares.part()}, row_tile(k, part));
  if (is_last && has_residual) total = k.output("total", config.type, kRowAxes);
  if (is_last) dst = k.output("dst", config.type, kRowAxes);
  Row row(k, config, src, zero, part, state.slices());
  const View x = row.x();  // (value, round, 1)

  std::optional<TiledArray> others, totals;
  View other;
  if (has_residual) {
    others.emplace(row.blocks_of(residual));
    if (is_last) totals.emplace(row.blocks_of(total));
    other = others->registers("other", ScalarType::f32);
  }
  const Row::Body add_residual = [&](const Expr& block) {
    if (!has_residual) return;
    others->load(row.at(block), other, zero);
    k.with_title("x <- x + other", [&] {
      k.apply(
          x, [](const Expr& v, const Expr& r) { return v + r; }, x, other);
    });
  };
  const Row::Body store_total = [&](const Expr& block) {
    if (totals) totals->store(row.at(block), x);
  };

  state.compute(row, [&](const Expr& block) {
    add_residual(block);
    store_total(block);
    squares.add(x, state[0]);
  });
  if (!is_last) return k.finish();
  const InverseRoot root = squares.inverse_root(state[0], convert(src.extent(0), ScalarType::f32));

  TiledArray weights = row.blocks_of(weight), result = row.blocks_of(dst);
  const View w = weights.registers("w", ScalarType::f32);  // (value, round, 1)
  row.pass(
      [&](const Expr& block) {
        if (part == RowPart::combine) store_total(block);
        weights.load({block}, w, zero);
        k.with_title("x <- x / sqrt(mean of the squares + epsilon) * w", [&] {
          k.apply(
              x, [&](const Expr& v, const Expr& g) { return root.times(k, v) * g; }, x, w);
        });
        result.store(row.at(block), x);
      },
      add_residual);
  return k.finish();
}

}  // namespace

ir::Kernel rms_norm(const RmsNormConfig& config, const std::string& name, RowPart part) {
  return norm_of(/*has_residual=*/false, config, name, part);
}

ir::Kernel residual_norm(const RmsNormConfig& config, const std::string& name, RowPart part) {
  return norm_of(/*has_residual=*/true, config, name, part);
}

}  // namespace vkmoye::gen
