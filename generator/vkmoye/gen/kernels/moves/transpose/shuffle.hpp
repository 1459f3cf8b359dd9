// SPDX-License-Identifier: MIT
#pragma once
// How transpose/auto moves a whole tile by shuffles within subgroups: no shared memory, no barrier.
//
// A lane loads vectors along rows of src and stores vectors along rows of dst. Bits of the lane that
// count columns, or rows, on both sides stay; a bit that counts columns on one side and rows on the other
// is swapped with a bit of the value; see dsl/exchange.hpp.
//
//   f32, 32 lanes, 32x32 for each subgroup, 32 values for each lane
//                 rows of the tile    columns       lanes: bits 4 3 2 1 0
//     loads       8 values, 4 lanes   8 lanes x 4         r4 r3 c4 c3 c2      128 bytes of 4 rows
//     stores      8 lanes x 4         8 values, 4 lanes   r4 r3 c4 c3 r2      128 bytes of 4 columns
//     between     one round: lanes that differ in bit 0 exchange 16 of their 32 values
//
// Shuffles move words. Elements of 1 and 2 bytes are first transposed in registers, in groups of 4 or 2
// rows.

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/moves/transpose/transpose_tile.hpp"

namespace vkmoye::gen {

/// The part of a tile that one subgroup moves. The parts of its subgroups are one below the other.
struct SubgroupTile {
  // Precondition: reasons_against_shuffles is empty.
  SubgroupTile(const TransposeTile& tile, std::int64_t lanes);

  /// loaded: (lane, (word of an element, column, group of rows)) -> word of the tile; stored: the same
  /// with the groups before the columns.
  Layout loaded() const;
  Layout stored() const;

  std::int64_t cols, row_groups;  // columns, groups of rows
  std::int64_t words;             // words of an element, or of a group
  std::int64_t across, along;     // columns of a load, groups of a store
  // lane -> the first column and group of rows that it loads and stores
  Layout load_col, load_row, store_col, store_row;
};

/// Every reason why subgroups of `lanes` lanes cannot move `tile` by shuffles. Preconditions: lanes,
/// extents, threads and accesses are powers of two, and accesses divide the tile.
std::vector<std::string> reasons_against_shuffles(const TransposeTile& tile, std::int64_t lanes);

/// The tile for subgroups of `lanes` lanes: lines of 128 bytes on both sides, or of 64 with few lanes.
TransposeTile shuffled_tile(ScalarType type, std::int64_t lanes, std::int64_t max_threads);

/// Moves a tile as move_whole does, by shuffles within the subgroups of `k`.
void move_by_shuffles(Builder& k, const TransposeTile& tile, const Tensor& src, const Tensor& dst,
                      const Expr& col, const Expr& row);

}  // namespace vkmoye::gen
