// SPDX-License-Identifier: MIT
#pragma once
// Rows of a matrix for a workgroup that needs the whole of them more than once.
//
//   Row row(k, config, src, kMaximum.neutral(type));
//   row.pass([&](const Expr&) { k.accumulate(largest, kMaximum, row.x()); });
//   row.pass([&](const Expr& block) { .. });
//
// A row that fits one block is read once and stays in the registers x; a longer one is read again,
// block by block, in each pass.

#include <functional>

#include "vkmoye/gen/kernels/common/blocks.hpp"
#include "vkmoye/gen/kernels/common/threads_config.hpp"

namespace vkmoye::gen {

class Row {
 public:
  using Body = std::function<void(const Expr& block)>;

  /// Rows of `src` (cols, rows), as many for each workgroup as it has rows of threads. `outside`:
  /// what stands in x where a row has no value, an element of f32. `k` outlives it.
  Row(Builder& k, const ThreadsConfig& config, const Tensor& src, const Expr& outside);

  /// Columns and rows of a block.
  const IntTuple& block() const { return block_; }
  /// A thread's values of the block at hand, f32: (value, round, 1).
  const View& x() const { return x_; }

  /// Records `body` for each block of the row. In a row of one block, x is what the pass before
  /// left; else the block is read again, and `redo` does to x what passes before did.
  void pass(
      const Body& body, const std::function<void()>& redo = [] {});

 private:
  Builder& k_;
  IntTuple block_;
  Blocks blocks_;
  Expr outside_;
  View x_;
  Expr count_;  // blocks of the row
  bool is_read_ = false;
};

}  // namespace vkmoye::gen
