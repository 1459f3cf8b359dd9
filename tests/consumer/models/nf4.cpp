// SPDX-License-Identifier: MIT
// Product with weights in nf4 (QLoRA): a code of 4 bits is an index of a table of 16 quantiles of the normal
// distribution; y(row, token) = sum over k of scale(k / 64, row) * table[code(k, row)] * x(k, token).

#include "model.hpp"

namespace models {
namespace {

constexpr double kTable[16] = {-1.0,
                               -0.6961928009986877,
                               -0.5250730514526367,
                               -0.39491748809814453,
                               -0.28444138169288635,
                               -0.18477343022823334,
                               -0.09105003625154495,
                               0.0,
                               0.07958029955625534,
                               0.16093020141124725,
                               0.24611230194568634,
                               0.33791524171829224,
                               0.44070982933044434,
                               0.5626170039176941,
                               0.7229568362236023,
                               1.0};

ir::Kernel nf4(std::uint32_t lanes) {
  const ScalarType f32 = ScalarType::f32, u32 = ScalarType::u32;
  Builder k("nf4", 64, lanes);
  const Tensor codes = k.input("codes", u32, {{"word", "words"}, {"row", "rows"}});  // 8 a word
  const Tensor scales = k.input("scales", f32, {{"block", "blocks"}, {"row", "rows"}});
  k.input("table", f32, {{"code", 16}});
  const Tensor x = k.input("x", f32, {{"k", "K"}, {"token", "tokens"}});
  const Tensor y = k.output("y", f32, {{"row", "rows"}, {"token", "tokens"}});
  const Expr row = k.block_x(), token = k.block_y();
  const View numbers = k.registers("numbers", u32, make_layout({8, 1}));
  const View values = k.registers("values", f32, make_layout({8, 1}));
  const View sum = k.registers("sum", f32, Layout()),
             scale = k.registers("scale", f32, Layout());
  k.assign(sum, number(f32, 0));
  k.loop("part", ceil_div(Builder::extent(codes, 0), 64), [&](const Expr& part) {
    const auto own = [&](const Tensor& of, std::int64_t size, const Expr& line) {
      return tile(tile(of, {64 * size, 1}, {part, line}), {size, 1}, {k.thread(), 0});
    };
    k.copy(k.unsigned_codes(own(codes, 1, row), 4), numbers);
    k.copy(own(x, 8, token), values, {.edges = Edges::zero});  // 0 past the edge
    const Expr block = k.let("block", 8 * part + k.thread() / 8);
    k.assign(scale, number(f32, 0));
    k.branch({less(block, Builder::extent(scales, 0))}, [&] {
      k.assign(scale, k.load("of_block", {"scales", {block, row}, "scales"}));
    });
    k.apply(
        values,
        [&](const Expr& value, const Expr& index, const Expr& of_block) {
          const Expr code = k.let("code", to_index(index));
          const Expr weight = k.load("weight", {"table", {minimum(code, 15)}, "table[code]"});
          return value * of_block * weight;
        },
        values, numbers, scale);
    k.accumulate(sum, kSum, values);
  });
  k.reduce_across(sum, kSum, make_layout({64}), 0);
  k.branch({equal(k.thread(), 0)}, [&] { k.copy(sum, tile(y, {1, 1}, {row, token})); });
  return k.finish();
}

const Model kNf4("nf4", [](const Machine& machine) {
  const std::size_t K = 1088, rows = 5, tokens = 3, blocks = K / 64, words = K / 8;
  const Data codes = random_data(ScalarType::u32, words * rows, 0x1p32);
  const Data scales = random_data(ScalarType::f32, blocks * rows);
  const Data table = data(ScalarType::f32, 16, [](std::size_t i) { return kTable[i]; });
  const Data x = random_data(ScalarType::f32, K * tokens);
  std::vector<Expected> y(rows * tokens);
  for (std::size_t at = 0; at < y.size(); ++at) {
    const std::size_t row = at % rows, token = at / rows;
    for (std::size_t i = 0; i < K; ++i) {
      const auto word = static_cast<std::uint32_t>(codes[row * words + i / 8]);
      const double part =
          scales[row * blocks + i / 64] * table[word >> (4 * (i % 8)) & 15] * x[token * K + i];
      y[at].value += part;
      y[at].tolerance += std::fabs(part) * 0x1p-19;
    }
  }
  machine.check(
      nf4(machine.lanes()), {codes, scales, table, x, unwritten(ScalarType::f32, y.size())},
      {{"K", K}, {"rows", rows}, {"tokens", tokens}, {"blocks", blocks}, {"words", words}}, y);
});

}  // namespace
}  // namespace models
