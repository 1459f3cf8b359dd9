// SPDX-License-Identifier: MIT
// Embedding lookup: y(d, token) = table(d, word(token)); words outside the table give zeros.

#include "model.hpp"

namespace models {
namespace {

ir::Kernel embedding() {
  const ScalarType f16 = ScalarType::f16;
  Builder k("embedding", 64);
  const Tensor table = k.input("table", f16, {{"d", "width"}, {"word", "words"}});
  const Tensor word = k.input("word", ScalarType::u32, {{"token", "tokens"}});
  const Tensor y = k.output("y", f16, {{"d", "width"}, {"token", "tokens"}});
  const View mine = parallelize(tile(y, {64, 1}, {k.block_x(), k.block_y()}),
                                make_layout({64, 1}), k.thread());
  const View found = k.make_fragment_like("found", f16, mine);
  k.assign(found, number(f16, 0));
  const Expr d = 64 * k.block_x() + k.thread();
  const Expr at = k.let("at", to_index(k.load("of_token", tile(word, {1}, {k.block_y()}))));
  k.branch({less(d, Builder::extent(table, 0)), less(at, Builder::extent(table, 1))}, [&] {
    k.assign(found, k.load("entry", {"table", {d, at}, "table(d, word)"}));
  });
  k.copy(found, mine);
  return k.finish();
}

const Model kEmbedding("embedding", [](const Machine& machine) {
  const std::size_t width = 100, words = 50, tokens = 9;
  const Data table = random_data(ScalarType::f16, width * words);
  const Data word = random_data(ScalarType::u32, tokens, words + 5);
  std::vector<Expected> y(width * tokens);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto at = static_cast<std::size_t>(word[i / width]);
    y[i].value = at < words ? table[at * width + i % width] : 0;
  }
  machine.check(embedding(), {table, word, unwritten(ScalarType::f16, y.size())},
                {{"width", width}, {"words", words}, {"tokens", tokens}}, y);
});

}  // namespace
}  // namespace models
