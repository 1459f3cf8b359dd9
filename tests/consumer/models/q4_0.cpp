// SPDX-License-Identifier: MIT
// Product with weights in q4_0: y(row, token) = sum over k of scale(k / 32, row) * (code(k, row) - 8) * x(k, token).
// Codes are 4 bits: byte b of a block has those of elements b and b + 16. Each thread takes a block of 32 in turn.

#include "model.hpp"

namespace models {
namespace {

ir::Kernel q4_0(std::uint32_t lanes) {
  const ScalarType f32 = ScalarType::f32, u32 = ScalarType::u32;
  Builder k("q4_0", 64, lanes);
  const Tensor codes =
      k.input("codes", u32, {{"word", "words"}, {"row", "rows"}});  // 4 a block
  const Tensor scales =
      k.input("scales", ScalarType::f16, {{"block", "blocks"}, {"row", "rows"}});
  const Tensor x = k.input("x", f32, {{"k", "K"}, {"token", "tokens"}});
  const Tensor y = k.output("y", f32, {{"row", "rows"}, {"token", "tokens"}});
  const Expr row = k.block_x(), token = k.block_y();
  const View words = k.registers("words_of_block", u32, make_layout({4, 1}));
  const View weights = k.registers("weights", f32, make_layout({4, 4, 2}));  // byte, word, half
  const View values = k.registers("values", f32, make_layout({32, 1}));
  const View scale = k.registers("scale", f32, make_layout({1, 1}));
  const View dot = k.registers("dot", f32, Layout()), sum = k.registers("sum", f32, Layout());
  k.assign(sum, number(f32, 0));
  k.loop("part", ceil_div(Builder::extent(x, 0), 64 * 32), [&](const Expr& part) {
    const auto block = [&](const Tensor& of, std::int64_t size, const Expr& line) {
      return tile(tile(of, {64 * size, 1}, {part, line}), {size, 1}, {k.thread(), 0});
    };
    k.copy(block(codes, 4, row), words, {.edges = Edges::zero});
    k.copy(block(x, 32, token), values, {.edges = Edges::zero});
    k.copy(block(scales, 1, row), scale, {.edges = Edges::zero});
    k.apply(weights, make_identity_view({4, 4, 2}),
            [&](const std::vector<Expr>& v, const std::vector<Expr>& at) {
              const Expr shift = convert(8 * at[0] + 4 * at[2], u32);
              return convert(bit_and(shift_right(v[0], shift), number(u32, 15)), f32) - 8;
            },
            {repeat(slice(words, {_, 0}), 0, 4)});
    k.apply(
        weights, [](Expr w, Expr v) { return w * v; }, weights, k.retile(values, weights));
    k.assign(dot, number(f32, 0));
    k.accumulate(dot, kSum, weights);
    k.apply(
        sum, [](Expr s, Expr d, Expr of_block) { return multiply_add(of_block, d, s); }, sum,
        dot, scale);
  });
  k.reduce_across(sum, kSum, make_layout({64}), 0);
  k.branch({equal(k.thread(), 0)}, [&] { k.copy(sum, tile(y, {1, 1}, {row, token})); });
  return k.finish();
}

const Model kQ4("q4_0", [](const Machine& machine) {
  const std::size_t K = 2080, rows = 5, tokens = 3, blocks = K / 32, words = K / 8;
  const Data codes = random_data(ScalarType::u32, words * rows, 0x1p32);
  const Data scales = random_data(ScalarType::f16, blocks * rows, 0.1);
  const Data x = random_data(ScalarType::f32, K * tokens);
  std::vector<Expected> y(rows * tokens);
  for (std::size_t at = 0; at < y.size(); ++at) {
    const std::size_t row = at % rows, token = at / rows;
    for (std::size_t i = 0; i < K; ++i) {
      const std::size_t in_block = i % 32, byte = in_block % 16;
      const auto word = static_cast<std::uint32_t>(codes[row * words + i / 32 * 4 + byte / 4]);
      const double code = word >> (8 * (byte % 4) + 4 * (in_block / 16)) & 15;
      const double part = scales[row * blocks + i / 32] * (code - 8) * x[token * K + i];
      y[at].value += part;
      y[at].tolerance += std::fabs(part) * 0x1p-19;
    }
  }
  machine.check(
      q4_0(machine.lanes()), {codes, scales, x, unwritten(ScalarType::f32, y.size())},
      {{"K", K}, {"rows", rows}, {"tokens", tokens}, {"blocks", blocks}, {"words", words}}, y);
});

}  // namespace
}  // namespace models
