// SPDX-License-Identifier: MIT Product with weights in q4_0 as they lie in a GGUF file: y(row, token) = sum over k of
// scale(block) * (code(k, row) - 8) * x(k, token). A block has 18 bytes: a scale of f16, then 16 bytes, of which byte i
// has the codes of weights i and i + 16. Read as words of 16 bits.

#include "model.hpp"

namespace models {
namespace {

ir::Kernel q4_0(std::uint32_t lanes) {
  const ScalarType f32 = ScalarType::f32, u32 = ScalarType::u32;
  Builder k("q4_0", 64, lanes);
  const Tensor weight =
      k.input("weight", ScalarType::u16, {{"word", 9}, {"block", "blocks"}, {"row", "rows"}});
  const Tensor x = k.input("x", f32, {{"k", "K"}, {"token", "tokens"}});
  const Tensor y = k.output("y", f32, {{"row", "rows"}, {"token", "tokens"}});
  const Expr row = k.block_x(), token = k.block_y();
  const View weights = k.registers("weights", f32, make_layout({2, 8, 2}));  // byte, word, half
  const View values = k.registers("values", f32, make_layout({32, 1}));
  const View sum = k.registers("sum", f32, Layout());
  k.assign(sum, number(f32, 0));
  k.loop("part", ceil_div(Builder::extent(weight, 1), 64), [&](const Expr& part) {
    const View mine = tile(tile(x, {64 * 32, 1}, {part, token}), {32, 1}, {k.thread(), 0});
    k.copy(mine, values, {.edges = Edges::zero});
    const Expr block = k.let("block", 64 * part + k.thread());
    k.branch({less(block, Builder::extent(weight, 1))}, [&] {
      const Expr scale =
          k.let("scale", convert(bitcast(k.load("first", {"weight", {0, block, row}, "scale"}),
                                         ScalarType::f16),
                                 f32));
      k.apply(weights, make_identity_view({2, 8, 2}),
              [&](const std::vector<Expr>&, const std::vector<Expr>& at) {
                const Expr word = k.load("word", {"weight", {at[1] + 1, block, row}, "codes"});
                const Expr shift = convert(8 * at[0] + 4 * at[2], u32);
                const Expr code =
                    bit_and(shift_right(convert(word, u32), shift), number(u32, 15));
                return scale * (convert(code, f32) - 8);
              },
              {});
      k.apply(
          weights, [](Expr w, Expr v) { return w * v; }, weights, k.retile(values, weights));
      k.accumulate(sum, kSum, weights);
    });
  });
  k.reduce_across(sum, kSum, make_layout({64}), 0);
  k.branch({equal(k.thread(), 0)}, [&] { k.copy(sum, tile(y, {1, 1}, {row, token})); });
  return k.finish();
}

const Model kQ4("q4_0", [](const Machine& machine) {
  const std::size_t K = 2080, rows = 5, tokens = 3, blocks = K / 32;
  const Data weight = data(ScalarType::u16, 9 * blocks * rows, [](std::size_t i) {
    const bool is_scale = i % 9 == 0;  // from 2^-7 on
    return static_cast<double>(is_scale ? 0x2000 + i % 977 : i * 7919 % 65536);
  });
  const Data x = random_data(ScalarType::f32, K * tokens);
  std::vector<Expected> y(rows * tokens);
  for (std::size_t at = 0; at < y.size(); ++at) {
    const std::size_t row = at % rows, token = at / rows;
    for (std::size_t i = 0; i < K; ++i) {
      const std::size_t block = 9 * (row * blocks + i / 32);
      const double scale =
          number_of(ScalarType::f16, static_cast<std::uint64_t>(weight[block]));
      const auto word = static_cast<std::uint32_t>(weight[block + 1 + i % 16 / 2]);
      const double code = (word >> (8 * (i % 2) + 4 * (i % 32 / 16)) & 15) - 8.0;
      const double part = scale * code * x[token * K + i];
      y[at].value += part;
      y[at].tolerance += std::fabs(part) * 0x1p-19;
    }
  }
  machine.check(q4_0(machine.lanes()), {weight, x, unwritten(ScalarType::f32, y.size())},
                {{"K", K}, {"rows", rows}, {"tokens", tokens}, {"blocks", blocks}}, y);
});

}  // namespace
}  // namespace models
