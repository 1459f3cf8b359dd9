// SPDX-License-Identifier: MIT
// Product with weights in e4m3 and a scale for each row: y(row, token) = scale(row) * sum over k of
// weight(k, row) * x(k, token).

#include "model.hpp"

namespace models {
namespace {

ir::Kernel e4m3(std::uint32_t lanes) {
  const ScalarType f32 = ScalarType::f32;
  Builder k("e4m3", 128, lanes);
  const Tensor weight = k.input("weight", ScalarType::e4m3, {{"k", "K"}, {"row", "rows"}});
  const Tensor scales = k.input("scales", f32, {{"row", "rows"}});
  const Tensor x = k.input("x", ScalarType::bf16, {{"k", "K"}, {"token", "tokens"}});
  const Tensor y = k.output("y", f32, {{"row", "rows"}, {"token", "tokens"}});
  const Expr row = k.block_x(), token = k.block_y();
  const View products = k.registers("products", f32, make_layout({4, 1}));
  const View sum = k.registers("sum", f32, Layout());
  k.assign(sum, number(f32, 0));
  k.loop("part", ceil_div(Builder::extent(weight, 0), 512), [&](const Expr& part) {
    const auto mine = [&](const Tensor& of, const Expr& line) {
      return tile(tile(of, {512, 1}, {part, line}), {4, 1}, {k.thread(), 0});
    };
    k.assign(products, number(f32, 0));
    k.apply(
        products, [&](Expr w, Expr v) { return convert(w, f32) * convert(v, f32); },
        mine(weight, row), mine(x, token));
    k.accumulate(sum, kSum, products);
  });
  k.reduce_across(sum, kSum, make_layout({128}), 0);
  const Expr scale = k.load("scale", tile(scales, {1}, {row}));
  k.branch({equal(k.thread(), 0)}, [&] {
    k.apply(
        tile(y, {1, 1}, {row, token}), [&](Expr s) { return s * scale; }, sum);
  });
  return k.finish();
}

const Model kE4m3("e4m3", [](const Machine& machine) {
  const std::size_t K = 1030, rows = 5, tokens = 3;
  const Data weight = random_data(ScalarType::e4m3, K * rows, 400);
  const Data scales = random_data(ScalarType::f32, rows, 0.01);
  const Data x = random_data(ScalarType::bf16, K * tokens);
  std::vector<Expected> y(rows * tokens);
  for (std::size_t at = 0; at < y.size(); ++at) {
    const std::size_t row = at % rows, token = at / rows;
    for (std::size_t i = 0; i < K; ++i) {
      const double part = scales[row] * weight[row * K + i] * x[token * K + i];
      y[at].value += part;
      y[at].tolerance += std::fabs(part) * 0x1p-19;
    }
  }
  machine.check(e4m3(machine.lanes()),
                {weight, scales, x, unwritten(ScalarType::f32, y.size())},
                {{"K", K}, {"rows", rows}, {"tokens", tokens}}, y);
});

}  // namespace
}  // namespace models
