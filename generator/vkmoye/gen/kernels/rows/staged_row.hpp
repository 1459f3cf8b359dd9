// SPDX-License-Identifier: MIT
#pragma once
// Rows of a matrix, for kernels that need each row more than once.
//
//   Row row(k, config, src, kMaximum.neutral(type));
//   row.pass([&](const Expr&) { k.accumulate(largest, kMaximum, row.x()); });
//   row.pass([&](const Expr& block) { .. });
//
// A row that fits one block is read once and stays in the registers x; a longer one is read again,
// block by block, in each pass.
//
// Few long rows leave most of a device idle, one workgroup for each row. They are cut into slices, by two kernels:
//
//   Part::slice    workgroup (row, slice): its blocks of the row -> results of the slice
//   Part::block    workgroup (block, row): combines the results of all slices, and has one block of the row
//
// See row_plans.hpp for when.

#include <functional>

#include "vkmoye/gen/kernels/common/blocks.hpp"
#include "vkmoye/gen/kernels/common/threads_config.hpp"

namespace vkmoye::gen {

/// The axes of a matrix whose rows a kernel works on.
inline const std::vector<Builder::AxisSpec> kRowAxes = {{"col", "cols"}, {"row", "rows"}};

/// The builder of a kernel that has no parameters but ThreadsConfig.
class RowBuilder : public Builder {
 public:
  /// `why`: see Builder::describe. Throws KernelError with the reasons against `config`, see reasons_against_rows.
  RowBuilder(const std::string& name, const ThreadsConfig& config, std::string why);
};

class Row {
 public:
  /// The blocks of a row that a workgroup has.
  enum class Part { whole, slice, block };
  using Body = std::function<void(const Expr& block)>;

  /// Rows of `src` (cols, rows); each workgroup has as many as it has rows of threads. `outside`: the
  /// value of x past the end of a row, which has the type of x, in most kernels f32. `slices`: for Part::slice, their
  /// number. `k` must outlive this object.
  Row(Builder& k, const ThreadsConfig& config, const Tensor& src, const Expr& outside,
      Part part = Part::whole, const Expr& slices = 1);

  /// Columns and rows of a block.
  const IntTuple& block() const { return block_; }
  /// A thread's values of the current block: (value, round, 1).
  const View& x() const { return x_; }

  /// The index of the workgroup's tile of rows; a tile has `threads / columns` rows.
  Expr row_tile() const { return part_ == Part::block ? builder_.block_y() : builder_.block_x(); }

  /// If the row has one block, reads it and calls `redo`, so that every pass finds it in registers. For passes in a
  /// loop, where the first one is not known. Precondition: there was no pass.
  void read_one_block(const Body& redo);

  /// Records `body` for each block of the row that the workgroup has. If the row has one block, x keeps its values
  /// from the previous pass; otherwise the block is read again, and `redo` repeats on x what previous passes did.
  void pass(
      const Body& body, const Body& redo = [](const Expr&) {});

 private:
  void read(const Expr& block, const Body& redo);

  Builder& builder_;
  IntTuple block_;
  Blocks blocks_;
  Expr outside_;
  View x_;
  Part part_;
  Expr first_;  // the workgroup's first block of the row
  Expr count_;  // and how many it has
  bool is_read_ = false;
};

}  // namespace vkmoye::gen
