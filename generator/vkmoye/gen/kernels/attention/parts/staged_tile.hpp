// SPDX-License-Identifier: MIT
#pragma once
// A tile of rows of k, of v or of q on its way to shared memory. All threads fetch the next tile into registers while
// matrix units still read the present one, and put it in its place between two barriers.
//
//   StagedTile k(builder, "k", f16, layout);              declares shared_k, and the registers next_k
//     k.fetch(attention.k(key_tile));                     memory -> next_k; 0 outside the buffer
//     builder.barrier();
//     k.put();                                            next_k -> shared_k
//     builder.barrier();
//     builder.load(tile(k.shared(), ..), b, k.vector());

#include <string>

#include "vkmoye/gen/kernels/attention/parts/key_rows.hpp"
#include "vkmoye/gen/kernels/attention/parts/visible_keys.hpp"

namespace vkmoye::gen {

class StagedTile {
 public:
  /// For tiles of `type`, (width, rows). Declares the array shared_`name` with the layout `shared`, and registers whose
  /// names begin with next_. `builder` must outlive this object. Precondition: row_staging() finds vectors for it.
  StagedTile(Builder& builder, const std::string& name, ScalarType type, const Layout& shared);

  void fetch(const View& from) { parts_.load(from, by_); }
  void put() { parts_.decode(part(shared_)); }
  /// The same for values of tile `tile_number`: 0 beyond the keys of the batch entry.
  void put_seen(VisibleKeys& visible, const Expr& tile_number);

  const View& shared() const { return shared_; }  // (width, rows)
  std::int64_t width() const { return size(shared_.shape().mode(0)); }
  std::int64_t rows() const { return size(shared_.shape().mode(1)); }
  /// The widest vector in which the shared tile is accessed.
  std::uint32_t vector() const { return to_index(rows_.vector); }

 private:
  // What a thread moves of a view (width, rows).
  View part(const View& view) const { return by_.part(view, rows_.vector); }

  View shared_;
  KeyRows rows_;
  KeyThreads by_;
  KeyParts parts_;
};

}  // namespace vkmoye::gen
