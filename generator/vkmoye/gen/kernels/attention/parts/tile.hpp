// SPDX-License-Identifier: MIT
#pragma once
// The arrays of attention, in the tiles of a workgroup.
//
//   AttentionTile tile(k, form, type, {64, 32});     64 rows of a head, 32 keys at a time
//     tile.q(), tile.k(keys), tile.v(keys)           (width, 64), (width, 32), (value_width, 32); key_tile(number)
//   VisibleKeys visible(k, form, tile);              which keys its rows see: visible_keys.hpp
//
// There are two ways to divide the work. With `rows_of_head_groups`, by default if has_rows_of_groups(form), the rows
// of all heads of a group are one matrix, and head_block() counts the heads of K and V of the whole batch. Otherwise a
// matrix has the rows of one head, head_block() counts the heads of Q, and block_z the entries of the batch.
//
// Workgroups along x, which a GPU starts one after another, have the tiles of rows of a head, so that they read the
// same keys at the same time. With a causal mask, the last rows see most keys: then the last tile of rows of each head
// comes first (workgroups along x have heads), the first tile of rows last. In the other order, the long last tiles of
// the last head would run while most of the GPU has nothing left to do.

#include <optional>
#include <string>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/attention/form/attention_form.hpp"
#include "vkmoye/gen/kernels/attention/parts/score_scale.hpp"

namespace vkmoye::gen {

/// Rows of q and of k in a tile, and elements of their rows. Tiles that are wider than the rows have zeros behind them,
/// which are not stored; rows of blocks are as wide as their tiles.
struct AttentionTileSize {
  std::int64_t rows = 64, keys = 32;
  std::int64_t width = 0, value_width = 0;  // 0: as many as the rows have
};

/// A query, and its head in the entry.
struct QueryOfHead {
  Expr query, head;
};

class AttentionTile {
 public:
  /// Declares q, k, v, lengths and the arguments. `rows_of_head_groups`: whether rows are those of all heads of a
  /// group. `builder` must outlive this object.
  AttentionTile(Builder& builder, const AttentionForm& form, ScalarType type,
                AttentionTileSize size, bool rows_of_head_groups);
  AttentionTile(Builder& builder, const AttentionForm& form, ScalarType type,
                AttentionTileSize size)
      : AttentionTile(builder, form, type, size, has_rows_of_groups(form)) {}

  /// The workgroup's tile of rows.
  const Expr& row_tile() const { return row_tile_; }
  /// The workgroup's head, or its head of K and V, of the whole batch: see above.
  const Expr& head_block() const { return head_block_; }
  /// The rows of a head, and the heads that head_block() counts.
  const Extent& row_extent() const { return row_extent_; }
  const Extent& head_extent() const { return head_extent_; }

  View q() const;  // (width, rows) of the workgroup
  /// (width, rows): tile `number` of tiles of `rows` rows.
  View q(std::int64_t rows, const Expr& number) const;
  /// Tile `number` of `count` keys, in an entry or in page `page`.
  struct KeyTile {
    Expr number = 0, page = 0;
    std::int64_t count = 1;
  };
  /// Tile `number` of an entry. Records how to find their page, if there are pages, in values of these names; `keys`
  /// must divide it.
  KeyTile key_tile(const Expr& number, std::int64_t keys);
  KeyTile key_tile(const Expr& number) { return key_tile(number, size_.keys); }
  /// (width, keys), (value_width, keys): rows in memory, see row_elements(). Those in pages that are not stored are
  /// outside of the array.
  View k(const KeyTile& key_tile) const {
    return rows_of_keys(k_, form_.key_format, size_.width, key_tile);
  }
  View v(const KeyTile& key_tile) const {
    return rows_of_keys(v_, form_.value_format, size_.value_width, key_tile);
  }
  /// The first keys, for the shape of a tile.
  KeyTile some_keys() const { return {0, 0, size_.keys}; }

  /// Declares the result o, and the workgroup's part of it.
  Tensor output(const std::string& name, ScalarType type);
  View tile_of(const Tensor& result) const { return tile_of(result, size_.rows, row_tile_); }
  View tile_of(const Tensor& result, std::int64_t rows, const Expr& number) const;

  /// Declares log_sums if the form has them.
  std::optional<Tensor> log_sums();
  /// (rows, columns): tile `number` of `rows` rows, repeated along columns.
  View tile_of_log_sums(const Tensor& log_sums, std::int64_t rows, const Expr& number,
                        std::int64_t columns) const;

  /// The query and the head of row `number` of a group.
  QueryOfHead query_of_head(const std::string& name, const Expr& number);
  View q(const QueryOfHead& row) const;  // (width, 1)

  const ScoreScale& score_scale() const { return score_scale_; }

  /// The head of the workgroup, if all its rows are of one head; else the head of K and V.
  const Expr& head() const { return head_; }
  const Expr& entry() const { return entry_; }  // the number of the batch entry
  const Expr& queries() const { return queries_; }
  const Expr& keys() const { return keys_; }  // how many the entry has
  const Expr& window() const { return window_; }
  const AttentionTileSize& size() const { return size_; }
  /// Whether no tile of keys has keys of two pages.
  bool tiles_lie_in_pages() const { return form_.page % size_.keys == 0; }
  bool has_rows_of_head_groups() const { return rows_of_head_groups_; }

 private:
  // An array, and whether it has one axis for all heads of the batch, or one for heads and one for entries.
  struct HeadTensor {
    Tensor tensor;
    bool is_flat;
    AttentionOrder order;
  };
  using Axis = Builder::AxisSpec;
  HeadTensor head_tensor(bool is_result, const std::string& name, ScalarType type,
                         const Axis& element, const char* row, AttentionOrder order);
  View tile_of_head(const HeadTensor& of, std::int64_t width, std::int64_t rows, const Expr& number,
                    const Expr& head, const Expr& entry) const;
  View rows_of_keys(const HeadTensor& of, const WeightFormat* format, std::int64_t width,
                    const KeyTile& key_tile) const;
  void place_workgroup();
  void declare_arguments();
  void declare_pages();
  void read_length();

  Builder& builder_;
  AttentionForm form_;
  AttentionTileSize size_;
  bool rows_of_head_groups_;
  Extent row_extent_ = 0, head_extent_ = 0;
  Expr row_tile_ = 0, head_block_ = 0;
  HeadTensor q_, k_, v_, o_;
  Tensor pages_;
  View page_;
  Expr head_ = 0, kv_head_ = 0, entry_ = 0;
  Expr queries_ = 0, keys_ = 0, window_ = 0, group_size_ = 0;
  ScoreScale score_scale_;
};

}  // namespace vkmoye::gen
