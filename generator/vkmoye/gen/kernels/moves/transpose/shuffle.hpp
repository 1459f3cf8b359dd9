// SPDX-License-Identifier: MIT
#pragma once
// How transpose/auto moves a whole tile by subgroups alone: no shared memory, no barrier.
//
// A lane loads vectors along rows of src and stores vectors along rows of dst. Bits of the lane that
// count columns, or rows, on both sides stay where they are; one that counts columns on one side and
// rows on the other changes places with a bit of the value, see dsl/exchange.hpp.
//
//   f32, 32 lanes, 32x32 for each subgroup, 32 values for each lane
//                 rows of the tile    columns       lanes: bits 4 3 2 1 0
//     loads       8 values, 4 lanes   8 lanes x 4         r4 r3 c4 c3 c2      128 bytes of 4 rows
//     stores      8 lanes x 4         8 values, 4 lanes   r4 r3 c4 c3 r2      128 bytes of 4 columns
//     between     one round: lanes that differ in bit 0 exchange 16 of their 32 values
//
// What moves are words: of elements of 1 and 2 bytes, units of 4 or 2 rows, turned in registers before.

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/moves/transpose/tile.hpp"

namespace vkmoye::gen {

/// What of a tile each of its subgroups moves, one below the other.
struct SubgroupTile {
  // Precondition: no reason against it, see below.
  SubgroupTile(const TransposeTile& tile, std::int64_t lanes);

  /// (lane, (word of an element, column, unit of rows)) -> word of the tile, in that order; and with
  /// the units before the columns.
  Layout loaded() const;
  Layout stored() const;

  std::int64_t cols, units;    // of rows
  std::int64_t words;          // of an element, or unit
  std::int64_t across, along;  // columns of a load, units of a store
  // lane -> the first column and unit that it loads and stores
  Layout load_col, load_unit, store_col, store_unit;
};

/// Every reason why subgroups of so many lanes cannot move `tile` so. Preconditions: they, extents,
/// threads and accesses are powers of two, accesses divide the tile.
std::vector<std::string> reasons_against_shuffles(const TransposeTile& tile, std::int64_t lanes);

/// The tile for subgroups of so many lanes: lines of 128 bytes on both sides, of fewer lanes 64.
TransposeTile shuffled_tile(ScalarType type, std::int64_t lanes, std::int64_t most_threads);

/// As move_whole, by the subgroups of `k`.
void move_by_shuffles(Builder& k, const TransposeTile& tile, const Tensor& src, const Tensor& dst,
                      const Expr& col, const Expr& row);

}  // namespace vkmoye::gen
