// SPDX-License-Identifier: MIT
// Layer norm of rows of 768 bf16: y = (x - mean) / sqrt(variance + epsilon) * weight + bias, computed in f32, for
// numbers up to 2^58, whose squares it can add up.

#include "model.hpp"

namespace models {
namespace {

constexpr std::int64_t kCols = 768;
constexpr double kEpsilon = 1e-5;

ir::Kernel layer_norm(std::uint32_t lanes) {
  const ScalarType bf16 = ScalarType::bf16, f32 = ScalarType::f32;
  Builder k("layer_norm", 128, lanes);
  const Tensor x = k.input("x", bf16, {{"col", kCols}, {"row", "rows"}});
  const Tensor weight = k.input("weight", bf16, {{"col", kCols}});
  const Tensor bias = k.input("bias", bf16, {{"col", kCols}});
  const Tensor y = k.output("y", bf16, {{"col", kCols}, {"row", "rows"}});
  const Layout threads = make_layout({128});
  const auto row = [&](const Tensor& of) {  // (6) of a thread
    return parallelize(slice(tile(of, {kCols, 1}, {0, k.block_x()}), {_, 0}), threads,
                       k.thread());
  };
  const auto all = [&](const Tensor& of) {
    return parallelize(tile(of, {kCols}, {0}), threads, k.thread());
  };
  const View values = k.make_fragment_like("values", f32, row(x));
  const View mean = k.registers("mean", f32, Layout()),
             square = k.registers("square", f32, Layout());
  const auto average = [&](const View& sum, const View& of) {
    k.assign(sum, number(f32, 0));
    k.accumulate(sum, kSum, of);
    k.reduce_across(sum, kSum, threads, 0);
    k.apply(
        sum, [](Expr s) { return s * (1.0 / kCols); }, sum);
  };
  k.copy(row(x), values, {.edges = Edges::zero});
  average(mean, values);
  k.apply(
      values, [](Expr v, Expr m) { return v - m; }, values, mean);
  const View squares = k.make_fragment_like("squares", f32, values);
  k.apply(
      squares, [](Expr v) { return v * v; }, values);
  average(square, squares);
  k.apply(
      row(y),
      [&](Expr v, Expr s, Expr w, Expr b) {
        return v * rsqrt(s + kEpsilon) * convert(w, f32) + convert(b, f32);
      },
      values, square, all(weight), all(bias));
  return k.finish();
}

const Model kLayerNorm("layer norm", [](const Machine& machine) {
  const std::size_t rows = 7, cols = kCols;
  const ScalarType bf16 = ScalarType::bf16;
  const Data x = random_data(bf16, rows * cols, 3), weight = random_data(bf16, cols),
             bias = random_data(bf16, cols);
  std::vector<Expected> y(rows * cols);
  for (std::size_t row = 0; row < rows; ++row) {
    double mean = 0, variance = 0;
    for (std::size_t i = 0; i < cols; ++i) mean += x[row * cols + i] / kCols;
    for (std::size_t i = 0; i < cols; ++i) {
      variance += (x[row * cols + i] - mean) * (x[row * cols + i] - mean) / kCols;
    }
    for (std::size_t i = 0; i < cols; ++i) {
      const double scaled =
          (x[row * cols + i] - mean) / std::sqrt(variance + kEpsilon) * weight[i];
      // a rounding to bf16, and sums of 768 in f32
      y[row * cols + i] = {scaled + bias[i],
                           std::fabs(scaled + bias[i]) * 0x1p-8 +
                               (std::fabs(scaled) + std::fabs(weight[i])) * 0x1p-18};
    }
  }
  machine.check(layer_norm(machine.lanes()), {x, weight, bias, unwritten(bf16, rows * cols)},
                {{"rows", rows}}, y);
});

}  // namespace
}  // namespace models
