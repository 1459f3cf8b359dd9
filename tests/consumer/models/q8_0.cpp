// SPDX-License-Identifier: MIT
// Product with weights in q8_0: y(row, token) = sum over k of scale(k / 32, row) * code(k, row) * x(k, token).
// A workgroup computes one element; each thread takes a block of 32 codes in turn.

#include "model.hpp"

namespace models {
namespace {

ir::Kernel q8_0(std::uint32_t lanes) {
  const ScalarType f32 = ScalarType::f32;
  Builder k("q8_0", 64, lanes);
  const Tensor codes = k.input("codes", ScalarType::i8, {{"k", "K"}, {"row", "rows"}});
  const Tensor scales =
      k.input("scales", ScalarType::f16, {{"block", "blocks"}, {"row", "rows"}});
  const Tensor x = k.input("x", f32, {{"k", "K"}, {"token", "tokens"}});
  const Tensor y = k.output("y", f32, {{"row", "rows"}, {"token", "tokens"}});
  const Expr row = k.block_x(), token = k.block_y();
  const View code = k.registers("code", f32, make_layout({32, 1}));
  const View values = k.registers("values", f32, make_layout({32, 1}));
  const View scale = k.registers("scale", f32, make_layout({1, 1}));
  const View dot = k.registers("dot", f32, Layout()), sum = k.registers("sum", f32, Layout());
  k.assign(sum, number(f32, 0));
  k.loop("part", ceil_div(Builder::extent(codes, 0), 64 * 32), [&](const Expr& part) {
    const auto block = [&](const Tensor& of, std::int64_t size, const Expr& line) {
      return tile(tile(of, {64 * size, 1}, {part, line}), {size, 1}, {k.thread(), 0});
    };
    k.copy(block(codes, 32, row), code, {.edges = Edges::zero});
    k.copy(block(x, 32, token), values, {.edges = Edges::zero});
    k.copy(block(scales, 1, row), scale, {.edges = Edges::zero});
    k.apply(
        code, [](Expr c, Expr v) { return c * v; }, code, values);
    k.assign(dot, number(f32, 0));
    k.accumulate(dot, kSum, code);
    k.apply(
        sum, [](Expr s, Expr d, Expr of_block) { return multiply_add(of_block, d, s); }, sum,
        dot, scale);
  });
  k.reduce_across(sum, kSum, make_layout({64}), 0);
  k.branch({equal(k.thread(), 0)}, [&] { k.copy(sum, tile(y, {1, 1}, {row, token})); });
  return k.finish();
}

const Model kQ8("q8_0", [](const Machine& machine) {
  const std::size_t K = 2080, rows = 5, tokens = 3, blocks = K / 32;
  const Data codes = data(ScalarType::i8, K * rows, [](std::size_t i) {
    return static_cast<double>(i * 7919 % 255) - 127;
  });
  const Data scales = random_data(ScalarType::f16, blocks * rows, 0.01);
  const Data x = random_data(ScalarType::f32, K * tokens);
  std::vector<Expected> y(rows * tokens);
  for (std::size_t at = 0; at < y.size(); ++at) {
    const std::size_t row = at % rows, token = at / rows;
    for (std::size_t i = 0; i < K; ++i) {
      const double part = scales[row * blocks + i / 32] * codes[row * K + i] * x[token * K + i];
      y[at].value += part;
      y[at].tolerance += std::fabs(part) * 0x1p-19;
    }
  }
  machine.check(q8_0(machine.lanes()), {codes, scales, x, unwritten(ScalarType::f32, y.size())},
                {{"K", K}, {"rows", rows}, {"tokens", tokens}, {"blocks", blocks}}, y);
});

}  // namespace
}  // namespace models
