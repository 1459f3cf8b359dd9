// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/rms_norm.hpp"

#include <fmt/format.h>

#include <cfloat>
#include <charconv>
#include <optional>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/rows/staged_row.hpp"

namespace vkmoye::gen {
namespace {

bool parse_real(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

RmsNormConfig rms_norm_config(ScalarType type, const DeviceCaps& device) {
  return {threads_config(type, device)};
}

const std::vector<ConfigField<RmsNormConfig>>& rms_norm_fields() {
  static const auto fields = joined<RmsNormConfig>(
      threads_fields<RmsNormConfig>(),
      {{"epsilon", "added to the mean of the squares", "a non-negative number",
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

ir::Kernel norm_of(bool has_residual, const RmsNormConfig& wanted, const std::string& name) {
  const RmsNormConfig config = fitted_to_rows(wanted);
  throw_if_any(name, reasons_against(config));

  Builder k(name, config.threads, to_index(config.subgroup_size));
  k.describe(typed_items(rms_norm_fields(), config),
             "rows that fit stay in registers, longer ones are read twice");
  const std::vector<Builder::AxisName> rows = {{"col", "cols"}, {"row", "rows"}};
  const Tensor src = k.input("src", config.type, rows);
  Tensor residual, total;
  if (has_residual) residual = k.input("residual", config.type, rows);
  const Tensor weight = k.input("weight", config.type, {{"col", "cols"}});
  if (has_residual) total = k.output("total", config.type, rows);
  const Tensor dst = k.output("dst", config.type, rows);
  const Expr zero = ir::number(ScalarType::f32, 0);
  Row row(k, config, src, zero);
  Blocks weights(k, weight, row.block(), config.copy());
  Blocks result(k, dst, row.block(), config.copy());
  const View x = row.x();                                          // (value, round, 1)
  const View w = weights.registers("w", ScalarType::f32);          // the same
  const View sum = k.registers("sum", ScalarType::f32, Layout());  // one value
  const View scale = k.registers("scale", ScalarType::f32, Layout());

  std::optional<Blocks> others, totals;
  View other;
  if (has_residual) {
    others.emplace(k, residual, row.block(), config.copy());
    totals.emplace(k, total, row.block(), config.copy());
    other = others->registers("other", ScalarType::f32);
  }
  const Row::Body add_residual = [&](const Expr& block) {
    if (!has_residual) return;
    others->load({block, k.block_x()}, other, zero);
    k.titled("x <- x + other", [&] {
      k.apply(
          x, [](const Expr& v, const Expr& r) { return v + r; }, x, other);
    });
  };

  k.assign(sum, zero);
  row.pass([&](const Expr& block) {
    add_residual(block);
    if (has_residual) totals->store({block, k.block_x()}, x);
    const View to = broadcast(sum, x.shape());
    k.titled("sum += x * x, for each value of x", [&] {
      k.apply(
          to, [](const Expr& s, const Expr& v) { return multiply_add(v, v, s); }, to, x);
    });
  });
  k.reduce_across(sum, kSum, config.layout(), 0);
  const Expr count = convert(Builder::extent(src, 0), ScalarType::f32);
  const Expr epsilon = ir::number(ScalarType::f32, config.epsilon);
  k.titled("scale <- 1 / sqrt(sum / cols + epsilon)", [&] {
    k.apply(
        scale, [&](const Expr& s) { return rsqrt(s / count + epsilon); }, sum);
  });

  row.pass(
      [&](const Expr& block) {
        weights.load({block}, w, zero);
        k.titled("x <- x * scale * w", [&] {
          k.apply(
              x, [](const Expr& v, const Expr& s, const Expr& g) { return v * s * g; }, x, scale,
              w);
        });
        result.store({block, k.block_x()}, x);
      },
      add_residual);
  return k.finish();
}

}  // namespace

ir::Kernel rms_norm(const RmsNormConfig& config, const std::string& name) {
  return norm_of(false, config, name);
}

ir::Kernel residual_norm(const RmsNormConfig& config, const std::string& name) {
  return norm_of(true, config, name);
}

}  // namespace vkmoye::gen
