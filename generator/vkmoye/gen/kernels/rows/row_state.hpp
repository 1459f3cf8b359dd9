// SPDX-License-Identifier: MIT
#pragma once
// What a kernel computes from a row, as a monoid: a state begins neutral, takes in the elements of a row, and is merged
// with the states of other threads, and of other slices of the row.
//
//   softmax      largest: the maximum of x      sum: the sum of exp(x - largest)
//
//   of 1 3       largest 3                      sum exp(1 - 3) + 1
//   of 5         largest 5                      sum 1
//   merged       largest 5                      sum (exp(1 - 3) + 1) * exp(3 - 5) + 1
//
// Each part of a state is a sum, a minimum or a maximum, which devices merge fast. A part that depends on the first
// one, the leader, is first adjusted to the merged leader: a sum of exponentials is multiplied by exp(own - merged).
//
//   state            leader     second part                              adjusted to the merged leader
//   softmax          maximum    sum of exp(x - largest)                  multiplied by exp(own - largest)
//   argmax, top k    maximum    its first column, a minimum              none, unless own == largest
//   rms norm         sums of squares
//   layer norm       count and sum                                       sums of deviations from the mean: shifted

#include <functional>
#include <string>
#include <vector>

#include "vkmoye/gen/kernels/rows/staged_row.hpp"

namespace vkmoye::gen {

class RowState {
 public:
  using Values = std::vector<View>;  // of one value each
  /// Records how `part`, of a state with the leader `own`, is adjusted to the leader `merged`.
  using Adjust = std::function<void(const Values& part, const Values& own, const Values& merged)>;

  struct Part {
    std::string name;  // of its registers
    Reduction reduction;
    Expr start;  // neutral, and has the type of the values
    /// The names of the arrays (slices, rows) that hold the values of slices, one for each value. Empty: the part has
    /// one value, which is never stored.
    std::vector<std::string> arrays = {};
    Adjust adjust = {};  // of a part that depends on the leader
  };

  /// An Adjust for a part and a leader of one value each: part <- function(part, own, merged), described by `how`.
  static Adjust adjust_to(
      Builder& k, const std::string& how,
      const std::function<Expr(const Expr& part, const Expr& own, const Expr& merged)>& function);

  /// Declares the registers, and the arrays that RowPart::slices writes or RowPart::combine reads. `row_tile`: the tile
  /// of rows whose slices are combined. `k` must outlive this object.
  RowState(Builder& k, const ThreadsConfig& config, RowPart part, const std::vector<Part>& parts,
           const Expr& row_tile);

  /// The number of slices of a row; 1 for whole rows.
  const Expr& slices() const { return slices_; }
  const Values& operator[](std::size_t part) const { return parts_[part].own.values; }
  /// The leader before the last step, or this thread's before threads were merged; for states with an adjusted part.
  const Values& before() const { return before_.values; }

  void start();
  /// Records a step: `lead` takes elements into the leader, to which the other parts are adjusted; then `follow` takes
  /// the elements into these.
  void step(const std::function<void()>& lead, const std::function<void()>& follow);
  /// Merges the states of the threads of a row; each thread gets the result.
  void merge_threads();
  /// Merges the states of all slices of the row; each thread gets the result.
  void merge_slices();

  /// Computes the state of the row: `step` takes in each block, or the states of all slices are merged. The state of
  /// a slice is also stored.
  void compute(Row& row, const Row::Body& step);

 private:
  struct Registers {
    View all;  // reduced at once
    Values values;
  };
  struct Stored : Part {
    Registers own;
    std::vector<Tensor> tensors = {};     // that store_slice writes
    std::vector<TiledArray> blocks = {};  // that load_slices reads
    Values of_slice = {};                 // one value for each thread of the row
  };

  Registers registers(const std::string& name, const Part& of);
  bool has_followers() const;
  void reduce_across_threads(const Stored& of);
  void load_slices(Stored& of, const Expr& block);
  void store_slice();

  Builder& builder_;
  ThreadsConfig config_;
  RowPart row_part_;
  Expr row_tile_;
  std::vector<Stored> parts_;
  Registers before_;
  Expr slices_ = 1;
};

}  // namespace vkmoye::gen
