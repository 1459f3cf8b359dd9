// SPDX-License-Identifier: MIT
#pragma once
// How transpose/auto moves a tile, whole or ragged.
//
// Whole tiles: a thread takes a block of src, `load` bytes along each of its rows, turns it in
// registers, and passes it on in vectors along dst, by way of shared memory.
//
//   f32, 4x4            a0 a1 a2 a3          a0 b0 c0 d0     to the shared tile, 16 bytes each, whose
//                       b0 b1 b2 b3    ->    a1 b1 c1 d1     columns are swizzled: blocks that lie
//                       c0 c1 c2 c3          a2 b2 c2 d2     side by side meet no bank twice
//                       d0 d1 d2 d3          a3 b3 c3 d3
//   f16, 2x8            two rows of eight    eight words a0b0 .. a7b7, turned as words of 4 bytes
//
// Ragged tiles: rows of src and of dst begin anywhere. What is expensive there is not to read a
// sector of 32 bytes in part, but to write it in part: memory has to read it first. So a workgroup
// stores whole sectors of dst alone, as many of a column as a tile has.
//
//   dst, column c        | . . h h h h h h | t t t t t t t t | t t t t t t t t | u u ..
//                            ^ c * rows      ^ `head` rows further: the first sector of the first tile
//
//   f32, tiles of 64     of a column with a head of 6 rows it moves rows 6 .. 69, row r by way of slot
//   rows                 r % 64 of shared memory, which needs no more room than a whole tile
//
// The head h, before the first sector, goes element by element, by the first tile of the column.
// Elements of 1 and 2 bytes are read as words, two beside each other shifted into place, and stored
// as words; of them a sector's rows more than a tile has stand in shared memory, and the last rows
// of a column, a word at most, go element by element, as no word may reach beyond src.

#include <cstdint>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/layout/swizzle.hpp"

namespace vkmoye::gen {

struct TransposeTile {
  ScalarType type = ScalarType::f32;
  std::int64_t rows = 64, cols = 64;   // of src
  std::int64_t threads = 256;          // of a workgroup
  std::int64_t load = 16, store = 16;  // bytes of an access of whole tiles
  std::int64_t parts = 1;              // of a ragged tile of words, one after the other

  std::int64_t bytes() const { return static_cast<std::int64_t>(size_of(type)); }
  /// Elements that travel together: of a word of 4 bytes, 1 of wider types.
  std::int64_t unit() const { return bytes() < 4 ? 4 / bytes() : 1; }
  /// Elements of a sector of memory, 32 bytes.
  std::int64_t sector() const { return 32 / bytes(); }
  /// What the shared tile holds: words of elements that travel together, else elements.
  ScalarType shared_type() const { return unit() > 1 ? ScalarType::u32 : type; }

  /// Whether blocks may lack: a thread has a single one, or words of a loop.
  bool can_lack_rows() const {
    return unit() > 1 || rows * cols * bytes() * bytes() == threads * load * store;
  }

  /// Of a whole tile: (col, unit of rows) -> place in shared memory.
  ComposedLayout whole_layout() const;
  /// Of a ragged one, or of a part of it: (col, slot), or of words (col, word), a sector's more.
  ComposedLayout ragged_layout() const;
};

enum class TileRows : std::uint8_t {
  all,   // are inside
  some,  // whole blocks of them, if any; asks for can_lack_rows()
};

/// Tile number (col, row) of src as that of dst. Preconditions: its columns are inside, its rows as `rows`
/// says, and rows of both begin at multiples of the accesses.
void move_whole(Builder& k, const TransposeTile& tile, const Tensor& src, const Tensor& dst,
                const View& shared, const Expr& col, const Expr& row, TileRows rows);

/// What of src there is in tile number (col, row). Preconditions: the tile begins inside; src has more
/// than `least_rows` rows and more columns than a unit twice.
void move_ragged(Builder& k, const TransposeTile& tile, const Tensor& src, const Tensor& dst,
                 const View& shared, const Expr& col, const Expr& row);

/// Rows below which the head and the tail of a column of dst would meet.
std::int64_t least_rows(const TransposeTile& tile);

}  // namespace vkmoye::gen
