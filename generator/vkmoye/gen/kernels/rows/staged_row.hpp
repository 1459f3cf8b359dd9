// SPDX-License-Identifier: MIT
#pragma once
// Rows of a matrix, for kernels that need each row once or several times.
//
//   Row row(k, config, src, kMaximum.neutral(type));
//   row.pass([&](const Expr&) { k.accumulate(largest, kMaximum, row.x()); });
//   row.pass([&](const Expr& block) { .. });
//
// A row that fits one block is read once and stays in the registers x; a longer one is read again,
// block by block, in each pass.

#include <functional>
#include <vector>

#include "vkmoye/gen/kernels/common/tiled_array.hpp"
#include "vkmoye/gen/kernels/rows/row_part.hpp"

namespace vkmoye::gen {

class Row {
 public:
  using Body = std::function<void(const Expr& block)>;

  /// Lines of `src` (cols, rows) along mode `along`: rows, or columns for 1. Each workgroup computes as many as its
  /// threads read side by side. `outside`: the value of x past the end of a line, in the type of x, in most kernels
  /// f32. `slices`: for RowPart::slices, their number. `k` must outlive this object.
  Row(Builder& k, const ThreadsConfig& config, const Tensor& src, const Expr& outside,
      RowPart part = RowPart::whole, const Expr& slices = 1, int along = 0);

  /// Another matrix of the same shape in the same blocks, or a vector that is broadcast to one.
  TiledArray blocks_of(const Tensor& tensor) const { return {builder_, tensor, block_, copy_}; }
  /// A thread's values of the current block: (value, round, 1), or (value, 1, round) along columns.
  const View& x() const { return x_; }
  /// The coordinate of a block among the blocks of a matrix.
  std::vector<Expr> at(const Expr& block) const;

  /// If the row has one block, reads it now and calls `redo`: every pass then finds it in registers. Call it before a
  /// loop of passes, in which no pass is always the first. Precondition: there was no pass.
  void read_one_block(const Body& redo);

  /// Records `body` for each block of the workgroup's part of the row. If the row has one block, x keeps its values
  /// from the previous pass; otherwise the block is read again, and `redo` repeats on x what previous passes did.
  void pass(
      const Body& body, const Body& redo = [](const Expr&) {});

 private:
  void read(const Expr& block, const Body& redo);

  Builder& builder_;
  RowPart part_;
  int along_;
  TiledCopy copy_;
  IntTuple block_;  // its extents: columns, rows
  TiledArray blocks_;
  Expr outside_;
  View x_;
  Expr first_ = 0;  // the workgroup's first block of the row
  Expr count_ = 1;  // and how many it has
  bool is_read_ = false;
};

/// A thread's values of an array with a value for each line, (line), (.., line), or along columns (line, ..): one, or
/// one for each of its columns. `at`: the coordinates; along the lines, the number of the workgroup's tile of lines.
View line_values(Builder& k, const ThreadsConfig& config, const Tensor& of,
                 const std::vector<Expr>& at, int along = 0);
/// Whether the thread is the first of its lines, which stores their results.
Conditions is_first_of_lines(Builder& k, const ThreadsConfig& config, int along = 0);

}  // namespace vkmoye::gen
