// SPDX-License-Identifier: MIT
#pragma once
// Which keys the rows of a workgroup see.
//
//   VisibleKeys visible(k, form, tile);
//     visible.first(), visible.count()                  the tiles of keys that a row of the workgroup sees
//     visible.hide_unseen(scores, part, rows, tile)     scores of keys that a row does not see: -infinity

#include <functional>
#include <limits>
#include <string>

#include "vkmoye/gen/kernels/attention/parts/tile.hpp"

namespace vkmoye::gen {

/// The score of unseen keys, and of no others: less than the first maximum of RunningSoftmax.
inline constexpr double kUnseenScore = -std::numeric_limits<double>::infinity();

/// The values of a thread of a view (rows, keys), in the shape of its scores.
using PartOfScores = std::function<View(const View&)>;

/// `count` rows of q from `first` on, and the queries in them.
struct QueryRows {
  Expr first, first_query, end_query;
  std::int64_t count = 0;
};

class VisibleKeys {
 public:
  /// `builder` and `tile` must outlive this object.
  VisibleKeys(Builder& builder, const AttentionForm& form, const AttentionTile& tile);

  /// The tiles of keys from the first to the last key that a row of the workgroup sees.
  const Expr& first() const { return first_; }
  const Expr& count() const { return count_; }

  QueryRows query_rows(const std::string& name, const Expr& first, std::int64_t count);
  const QueryRows& rows_of_workgroup() const { return rows_of_workgroup_; }

  /// Sets the scores of keys of tile `tile_number` that their row does not see to kUnseenScore.
  void hide_unseen(const View& scores, const PartOfScores& part, const QueryRows& rows,
                   const Expr& tile_number);
  /// Sets `values`, which are the elements and keys `places` of tile `tile_number` of v, to 0 beyond the keys of the
  /// batch entry: the rest of the array or of the last page may hold NaN, and 0 * NaN is NaN. `vector`: the width of
  /// registers that are vectors.
  void drop_beyond(const View& values, const View& places, const Expr& tile_number,
                   std::uint32_t vector = 1);

 private:
  Expr sees(const Expr& row, const Expr& key) const;
  const Expr& queries() const { return tile_.queries(); }
  const Expr& keys() const { return tile_.keys(); }

  Builder& builder_;
  const AttentionForm form_;
  const AttentionTile& tile_;
  QueryRows rows_of_workgroup_ = {0, 0, 0, 0};
  Expr first_ = 0, count_ = 0;
};

}  // namespace vkmoye::gen
