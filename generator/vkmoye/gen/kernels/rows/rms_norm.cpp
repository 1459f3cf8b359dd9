// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/rms_norm.hpp"

#include <fmt/format.h>

#include <cfloat>
#include <charconv>
#include <deque>
#include <optional>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/rows/slices.hpp"
#include "vkmoye/gen/kernels/rows/staged_row.hpp"
#include "vkmoye/gen/kernels/rows/sum_of_squares.hpp"

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

using Part = Row::Part;

// The results of slices for `sum`, a name of SumOfSquares.
std::string of_slices(const std::string& sum) { return "slice_" + sum + "s"; }

const char* comment_of(Part part) {
  switch (part) {
    case Part::whole: return "rows that fit stay in registers, longer ones are read twice";
    case Part::slice: return "the sum of the squares of each slice of a row";
    case Part::block: return "combines the slices of a row; a workgroup has a block of the row";
  }
  return "";
}

ir::Kernel norm_of(Part part, Residual adds, const RmsNormConfig& wanted, const std::string& name) {
  const RmsNormConfig config = fitted_to_rows(wanted);
  throw_if_any(name, reasons_against(config));

  Builder k(name, config.threads, to_index(config.subgroup_size));
  k.describe(typed_items(rms_norm_fields(), config), comment_of(part));
  const Tensor src = k.input("src", config.type, kRowAxes);
  const bool is_last = part != Part::slice;  // it writes the result
  const Expr zero = ir::number(ScalarType::f32, 0);
  const bool has_residual = adds == Residual::added;
  Tensor residual, weight, total, dst;
  if (has_residual) residual = k.input("residual", config.type, kRowAxes);
  if (is_last) weight = k.input("weight", config.type, {{"col", "cols"}});
  SumOfSquares squares(k, config.type, config.epsilon);
  std::deque<SliceResultsWriter> sums_of_slice;
  std::deque<SliceResultsReader> sums_of_slices;
  for (const std::string& sum : squares.names()) {
    if (part == Part::slice) sums_of_slice.emplace_back(k, of_slices(sum), ScalarType::f32, config);
    if (part == Part::block) {
      sums_of_slices.emplace_back(k, of_slices(sum), config, k.block_y(), zero);
    }
  }
  if (is_last && has_residual) total = k.output("total", config.type, kRowAxes);
  if (is_last) dst = k.output("dst", config.type, kRowAxes);
  Row row(k, config, src, zero, part,
          sums_of_slice.empty() ? Expr(1) : sums_of_slice.front().slices());
  const View x = row.x();  // (value, round, 1)

  std::optional<Blocks> others, totals;
  View other;
  if (has_residual) {
    others.emplace(k, residual, row.block(), config.tiled_copy());
    if (is_last) totals.emplace(k, total, row.block(), config.tiled_copy());
    other = others->registers("other", ScalarType::f32);
  }
  const Row::Body add_residual = [&](const Expr& block) {
    if (!has_residual) return;
    others->load({block, row.row_tile()}, other, zero);
    k.with_title("x <- x + other", [&] {
      k.apply(
          x, [](const Expr& v, const Expr& r) { return v + r; }, x, other);
    });
  };

  squares.start();
  if (part == Part::block) {
    for (std::size_t i = 0; i < sums_of_slices.size(); ++i) {
      SliceResultsReader& of = sums_of_slices[i];
      of.each([&](const Expr&) { k.accumulate(squares.sum(i), kSum, of.values()); });
    }
  } else {
    row.pass([&](const Expr& block) {
      add_residual(block);
      if (totals) totals->store({block, row.row_tile()}, x);
      squares.add(x);
    });
  }
  squares.reduce_across(config.thread_layout(), 0);
  if (part == Part::slice) {
    for (std::size_t i = 0; i < sums_of_slice.size(); ++i) sums_of_slice[i].store(squares.sum(i));
    return k.finish();
  }
  const InverseRoot root = squares.inverse_root(convert(Builder::extent(src, 0), ScalarType::f32));

  Blocks weights(k, weight, row.block(), config.tiled_copy());
  Blocks result(k, dst, row.block(), config.tiled_copy());
  const View w = weights.registers("w", ScalarType::f32);  // (value, round, 1)
  row.pass(
      [&](const Expr& block) {
        if (part == Part::block && totals) totals->store({block, row.row_tile()}, x);
        weights.load({block}, w, zero);
        k.with_title("x <- x / sqrt(mean of the squares + epsilon) * w", [&] {
          k.apply(
              x, [&](const Expr& v, const Expr& g) { return root.times(k, v) * g; }, x, w);
        });
        result.store({block, row.row_tile()}, x);
      },
      add_residual);
  return k.finish();
}

}  // namespace

ir::Kernel rms_norm(const RmsNormConfig& config, const std::string& name) {
  return norm_of(Part::whole, Residual::none, config, name);
}

ir::Kernel residual_norm(const RmsNormConfig& config, const std::string& name) {
  return norm_of(Part::whole, Residual::added, config, name);
}

ir::Kernel norm_slices(Residual residual, const RmsNormConfig& config, const std::string& name) {
  return norm_of(Part::slice, residual, config, name);
}

ir::Kernel norm_combine(Residual residual, const RmsNormConfig& config, const std::string& name) {
  return norm_of(Part::block, residual, config, name);
}

}  // namespace vkmoye::gen
