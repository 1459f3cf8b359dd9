// SPDX-License-Identifier: MIT
#pragma once
// A tile of rows of k, of v or of q on its way to shared memory. All threads fetch the next tile into registers while
// matrix units still read the present one, and put it in its place between two barriers.
//
//   StagedTile k(builder, "k", {f16}, f16, layout);       declares shared_k, and the registers next_k
//     k.fetch(attention.k(key_tile));                     memory -> next_k; 0 outside the buffer
//     builder.barrier();
//     k.put();                                            next_k -> shared_k
//     builder.barrier();
//     builder.load(tile(k.shared(), ..), b, k.vector());
//
// Rows in memory may be blocks of codes, or elements of another type than those in shared memory:
//
//   64 keys of q8_0, 128 wide, 256 threads     next_k has 16 words of codes and 4 scales for each thread
//     put: codes -> 32 elements in f32 -> f16 in shared_k

#include <functional>
#include <optional>
#include <string>

#include "vkmoye/gen/kernels/attention/parts/key_rows.hpp"
#include "vkmoye/gen/kernels/attention/parts/staging.hpp"
#include "vkmoye/gen/kernels/attention/parts/visible_keys.hpp"

namespace vkmoye::gen {

/// Rows in memory: elements of `type`, or blocks of `format`.
struct StoredRows {
  ScalarType type;
  const WeightFormat* format = nullptr;
};
inline StoredRows rows_of_keys(ScalarType type, const AttentionForm& form) {
  return {key_type(type, form), form.key_format};
}
inline StoredRows rows_of_values(ScalarType type, const AttentionForm& form) {
  return {value_type(type, form), form.value_format};
}

class StagedTile {
 public:
  /// For tiles of `type`, (width, rows). Declares the array shared_`name` with the layout `shared`, and registers whose
  /// names begin with next_. `numbers` decodes blocks; it and `builder` must outlive this object. Precondition:
  /// staging() is not empty.
  StagedTile(Builder& builder, const std::string& name, const StoredRows& from, ScalarType type,
             const Layout& shared, WeightNumbers* numbers);
  /// For rows of elements that go through the shared tile of `other`, and are of its type.
  StagedTile(Builder& builder, const std::string& name, const StagedTile& other);

  /// How `threads` threads divide a tile, in vectors that are also accesses of shared memory; nullopt: unevenly.
  static std::optional<RowStaging> staging(const StoredRows& from, ScalarType type,
                                           std::int64_t width, std::int64_t rows,
                                           std::int64_t threads);

  /// Fetches `from`, rows in memory.
  void fetch(const View& from) { parts_.load(from, by_); }
  /// Fetches tile `number` of rows that may lie apart: `row(i)` is a view of row i, counted over all tiles.
  void fetch_rows(const Expr& number, const std::function<View(const Expr&)>& row);
  void put();
  /// put() for the values of tile `number` of keys; values beyond the keys of the batch entry become 0.
  void put_seen(VisibleKeys& visible, const Expr& number);

  /// Whether rows in memory are elements of the type of the shared tile.
  bool is_plain() const { return !has_blocks() && builder_.type_of(parts_.read()) == type(); }
  ScalarType type() const { return builder_.type_of(shared_); }
  const View& shared() const { return shared_; }  // (width, rows)
  std::int64_t width() const { return size(shared_.shape().mode(0)); }
  std::int64_t rows() const { return size(shared_.shape().mode(1)); }
  /// The widest vector in which the shared tile is accessed.
  std::uint32_t vector() const { return vector_; }

 private:
  StagedTile(Builder& builder, const std::string& name, const StoredRows& from, const View& shared,
             const RowStaging& staging, WeightNumbers* numbers);
  bool has_blocks() const { return rows_.format != nullptr; }
  // The part of a view (width, rows) that a thread moves.
  View part(const View& view) const { return by_.part(rows_.at_places(view), rows_.vector); }
  // The elements of the next tile, decoded.
  const View& decoded() const;

  Builder& builder_;
  View shared_;
  KeyRows rows_;
  std::uint32_t vector_;
  KeyThreads by_;
  KeyParts parts_;
  View elements_;  // of blocks, in f32
};

}  // namespace vkmoye::gen
