// SPDX-License-Identifier: MIT
#pragma once
// How transpose/auto moves a tile, whole or ragged.
//
// Whole tiles: a thread loads a block of src, `load` bytes along each of its rows, transposes it in
// registers, and writes it to shared memory in vectors along dst.
//
//   f32, 4x4            a0 a1 a2 a3          a0 b0 c0 d0     to the shared tile, 16 bytes each; its
//                       b0 b1 b2 b3    ->    a1 b1 c1 d1     columns are swizzled, so that blocks side
//                       c0 c1 c2 c3          a2 b2 c2 d2     by side have no bank conflicts
//                       d0 d1 d2 d3          a3 b3 c3 d3
//   f16, 2x8            two rows of eight    eight words a0b0 .. a7b7, transposed as words of 4 bytes
//
// Ragged tiles: rows of src and of dst have any alignment. Reading part of a sector of 32 bytes is cheap,
// but writing part of one is expensive, because memory has to read it first. So a workgroup stores only
// whole sectors of dst, as many of each column as a tile has.
//
//   dst, column c        | . . h h h h h h | t t t t t t t t | t t t t t t t t | u u ..
//                            ^ c * rows      ^ `head` rows further: the first sector of the first tile
//
//   f32, tiles of 64     of a column with a head of 6 rows it moves rows 6 .. 69, row r through slot
//   rows                 r % 64 of shared memory, which needs no more space than a whole tile
//
// The head h, before the first sector, is moved element by element, with the first tile of the column.
// Elements of 1 and 2 bytes are loaded as pairs of adjacent words, which are shifted into place, and are
// stored as words. For them, shared memory holds one sector of rows more than a tile, and the last rows of
// a column, at most a word, are moved element by element, because no word may extend past the end of src.

#include <cstdint>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/layout/swizzle.hpp"

namespace vkmoye::gen {

struct TransposeTile {
  ScalarType type = ScalarType::f32;
  std::int64_t rows = 64, cols = 64;   // rows and columns of src per tile
  std::int64_t threads = 256;          // threads per workgroup
  std::int64_t load = 16, store = 16;  // bytes of an access of whole tiles
  std::int64_t parts = 1;              // parts of a ragged tile of words, moved one after the other

  std::int64_t bytes() const { return static_cast<std::int64_t>(size_of(type)); }
  /// The elements that are moved together: those of a word of 4 bytes, or 1 of wider types.
  std::int64_t together() const { return bytes() < 4 ? 4 / bytes() : 1; }
  /// The elements of a sector of memory, 32 bytes.
  std::int64_t sector() const { return 32 / bytes(); }
  /// The element type of the shared tile: words if several elements are moved together.
  ScalarType shared_type() const { return together() > 1 ? ScalarType::u32 : type; }

  /// Whether TileRows::some is possible: each thread has a single block, or a loop over words.
  bool can_lack_rows() const {
    return together() > 1 || rows * cols * bytes() * bytes() == threads * load * store;
  }

  /// A whole tile in shared memory: (col, group of rows) -> offset.
  ComposedLayout whole_layout() const;
  /// A ragged tile, or a part of one: (col, slot) -> offset; for words (col, word), with one sector more.
  ComposedLayout ragged_layout() const;
};

/// Which rows of a tile are inside the array.
enum class TileRows : std::uint8_t {
  all,   // all rows are inside
  some,  // some blocks of rows are inside, each entirely or not at all; requires can_lack_rows()
};

/// Transposes tile number (col, row) of src into dst. Preconditions: its columns are inside, its rows as
/// `rows` says, and the rows of both arrays are aligned to the accesses.
void move_whole(Builder& k, const TransposeTile& tile, const Tensor& src, const Tensor& dst,
                const View& shared, const Expr& col, const Expr& row, TileRows rows);

/// Transposes the part of tile number (col, row) that is inside. Preconditions: the tile begins inside; src
/// has more than `min_rows` rows and more than 2 * together() columns.
void move_ragged(Builder& k, const TransposeTile& tile, const Tensor& src, const Tensor& dst,
                 const View& shared, const Expr& col, const Expr& row);

/// A lower bound on the rows of src: with fewer, the head and the tail of a column of dst would overlap.
std::int64_t min_rows(const TransposeTile& tile);

}  // namespace vkmoye::gen
