// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/staged_row.hpp"

#include <utility>

namespace vkmoye::gen {

Row::Row(Builder& k, const ThreadsConfig& config, const Tensor& src, const Expr& outside)
    : k_(k),
      block_{config.columns * config.width() * config.rounds, config.threads / config.columns},
      blocks_(k, src, block_, config.copy()),
      outside_(outside),
      x_(blocks_.registers("x", ScalarType::f32)),
      count_(k.let("blocks", ceil_div(Builder::extent(src, 0), to_index(block_.leaf(0))))) {}

void Row::pass(const Body& body, const Body& redo) {
  const auto read = [&](const Expr& block) {
    blocks_.load({block, k_.block_x()}, x_, outside_);
    redo(block);
  };
  const bool is_first = !std::exchange(is_read_, true);
  k_.loop(
      "block", count_,
      [&](const Expr& block) {
        k_.branch(is_first ? Conditions{} : Conditions{less(1, count_)}, [&] { read(block); });
        body(block);
      },
      ir::Unroll::never);
}

}  // namespace vkmoye::gen
