// SPDX-License-Identifier: MIT
#pragma once
// What the kernels of attention share: the arrays, which keys a row sees, and the running softmax.
//
//   AttentionTile tile(k, form, type, {64, 32});     64 rows of a head, 32 keys at a time
//     tile.q(), tile.k(number), tile.v(number)       (width, 64), (width, 32), (value_width, 32)
//     tile.first(), tile.count()                     the tiles of keys that a row of the workgroup sees
//     tile.hide(scores, places, number)              scores of keys that a row does not see: -2e30
//
//   RunningSoftmax softmax(k, tile.factor(), scores, 0, threads, 0);
//     softmax.update(scores, sums)                   scores <- weights; sums and totals are rescaled
//     softmax.finish(sums)                           sums <- sums / totals, 0 if no key was seen
//
// Weights are exp2(factor * x - factor * m) with the running maximum m of the row, so that scale and log2(e) cost
// nothing. m starts at -1e30, above the scores of hidden keys, whose weights are therefore 0 in every row. A NaN among
// the scores of a row makes its weight NaN, and with it the whole row.
// Source: FlashAttention-2 (Dao, 2023), algorithm 1.

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/attention/form/attention_form.hpp"

namespace vkmoye::gen {

/// Rows of q and of k in a tile.
struct AttentionTileSize {
  std::int64_t rows = 64, keys = 32;
};

class AttentionTile {
 public:
  /// Declares q, k, v and the arguments. Workgroups along x have tiles of rows, along y heads of K and V. `k` must
  /// outlive this object.
  AttentionTile(Builder& k, const AttentionForm& form, ScalarType type, AttentionTileSize size);

  /// The workgroup's tile of rows.
  const Expr& row_tile() const { return row_tile_; }

  View q() const;  // (width, rows) of the workgroup
  /// (width, rows): tile `number` of tiles of `rows` rows.
  View q(std::int64_t rows, const Expr& number) const;
  View k(const Expr& number) const;  // (width, keys)
  View v(const Expr& number) const;  // (value_width, keys)

  /// The tiles of keys from the first to the last key that a row of the workgroup sees.
  const Expr& first() const { return first_; }
  const Expr& count() const { return count_; }

  /// Declares a result (value_width, rows, heads), and the workgroup's part of it.
  Tensor output(const std::string& name, ScalarType type);
  View tile_of(const Tensor& result) const;  // (value_width, rows)
  View tile_of(const Tensor& result, std::int64_t rows, const Expr& number) const;

  /// `count` rows of q from `first` on, and the queries in them.
  struct Rows {
    Expr first, first_query, end_query;
  };
  Rows rows(const std::string& name, const Expr& first, std::int64_t count);
  /// Those of the workgroup.
  const Rows& rows() const { return all_; }

  /// Applies the soft cap to the scores of `rows` and the keys of tile `number`, and hides keys that their row does not
  /// see. `places`: (row, key) of each score. Tiles in which each row sees each key are only capped.
  void hide(const View& scores, const View& places, const Rows& rows, const Expr& number);

  /// What a score is multiplied by to be an exponent of 2.
  const Expr& factor() const { return factor_; }

 private:
  void find_visible_tiles();
  Expr sees(const Expr& row, const Expr& key) const;

  Builder& builder_;
  AttentionForm form_;
  AttentionTileSize size_;
  Expr row_tile_ = 0;
  Tensor q_, k_, v_;
  Expr queries_ = 0, keys_ = 0, window_ = 0;  // arguments
  Expr factor_ = 0, of_cap_ = 0;
  Rows all_ = {0, 0, 0};
  Expr first_ = 0, count_ = 0;
};

class RunningSoftmax {
 public:
  /// For scores of the shape of `scores`, with columns along mode `columns`. Threads that differ in mode `mode` of
  /// `threads` share rows. Declares most, shrink and total.
  RunningSoftmax(Builder& k, const Expr& factor, const View& scores, int columns,
                 const Layout& threads, int mode);

  void start();
  /// `scores` become weights relative to the new maximum of the row; `sums`, with the same rows, are rescaled to it.
  void update(const View& scores, const View& sums);
  /// The same with a maximum of each thread's own columns. Each weight counts `counts` times. merge() must follow.
  void update_apart(const View& scores, const View& sums, const View* counts = nullptr);
  /// Rescales `sums` to the maximum of the row, and adds those of all threads that share it, and the totals.
  void merge(const View& sums);
  /// sums <- sums / totals, where threads have had a common maximum.
  void finish(const View& sums);
  /// The same after merge().
  void divide(const View& sums);

  /// The maximum and the total of each row.
  const View& most() const { return most_; }
  const View& total() const { return total_; }

 private:
  void keep_most();
  void rescale(const View& sums);
  void weigh(const View& scores);

  Builder& k_;
  Expr factor_;
  Layout threads_;
  int mode_;
  View most_, shrink_, total_;
};

}  // namespace vkmoye::gen
