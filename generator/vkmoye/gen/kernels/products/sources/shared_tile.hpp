// SPDX-License-Identifier: MIT
#pragma once
// Tiles of A or B in shared memory. The next one is read into registers while one is multiplied.
//
//   (128 rows, 8 k), threads in vectors of 4 k
//     next     registers of a thread, read by TileReads
//     store    tile <- next: each thread stores what it has read; the caller waits before and after
//     at       (rows, k), from which fragments or matrices are read
//
// With two stages, there are two tiles in shared memory: one is stored while the other is multiplied.

#include <string>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/products/sources/tile_reads.hpp"

namespace vkmoye::gen {

class WeightUnits;

class SharedTile {
 public:
  /// Declares the array `name` of `type`. `layout`: (rows, k) or, with two stages, (rows, k, 2). `next` gives tiles
  /// with k first, or rows, by `k_first`, and so does `stored` divide what is stored.
  SharedTile(Builder& builder, const std::string& name, ScalarType type, const Layout& layout,
             TileReads next, bool k_first, TileParts stored);

  /// Registers and what to read into them.
  TileReads next;

  /// The tile of stage `at`: (rows, k).
  View at(const Expr& stage) const;
  /// The tile of stage `at` <- what was read.
  void store(const Expr& stage, Moved moved) const;
  /// The only tile <- tile number `k_tile` of the array, without registers in between.
  void copy(const Expr& k_tile, Moved moved, Edges edges) const;
  /// The only tile <- the weights of the blocks whose words were read, `together` of them at a time.
  void store_decoded(WeightUnits& units, std::int64_t together) const;

 private:
  View part(const Expr& stage, Moved moved) const;

  Builder& builder_;
  bool k_first_;
  TileParts stored_;
  View shared_;
};

}  // namespace vkmoye::gen
