// SPDX-License-Identifier: MIT
#pragma once
// Layouts as pictures. A picture is first a table of cells, then text, SVG, typst or LaTeX.
//
//   text of offset_table((4,4):(1,5))        of thread_value_table for MoYe.jl's tiled copy
//
//        0  1  2  3                                 0     1     2     3 ..
//     0  0  5 10 15                              0  T0V0  T0V2  T0V4  T1V0
//     1  1  6 11 16                              1  T0V1  T0V3  T0V5  T1V1
//     2  2  7 12 17
//     3  3  8 13 18
//
// Colours are numbers modulo 32, one per thread, bank or group; an SVG carries a light and a dark
// palette and follows the viewer's setting.

#include <string>
#include <vector>

#include "vkmoye/layout/access.hpp"

namespace vkmoye {

/// A cell of a picture.
struct Cell {
  std::string text;
  int colour = -1;           // -1: none
  std::int64_t columns = 1;  // a wider cell covers those to its right, which are not drawn
};

/// rows x columns cells, row by row, under a title.
struct Table {
  std::string title;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<Cell> cells;
  std::vector<std::string> row_names = {}, column_names = {};  // empty: numbers from 0
  std::int64_t keys = 0;  // the last rows, which explain the others and are drawn apart from them

  /// The cell in this row and column. Precondition: there is one.
  Cell& at(std::int64_t row, std::int64_t column) {
    return cells[static_cast<std::size_t>(row * columns + column)];
  }
  /// The same for a table that does not change.
  const Cell& at(std::int64_t row, std::int64_t column) const {
    return cells[static_cast<std::size_t>(row * columns + column)];
  }
};

/// The largest number of cells that is drawn.
inline constexpr std::int64_t kMaxCells = std::int64_t{1} << 20;

/// Offsets: mode 0 goes down, all other modes go to the right; a layout of one mode is one row.
/// Throws LayoutError beyond kMaxCells.
Table offset_table(const Layout& layout);
Table offset_table(const ComposedLayout& layout);
Table offset_table(const OffsetLayout& layout);

/// Who owns what: cell (m,n) of a tile of `tiler` extents shows thread and value, one colour per
/// thread. `layout_tv` maps (thread, value) to the column-major index in the tile, as
/// make_tiled_copy gives it. Throws LayoutError if that leaves the tile.
Table thread_value_table(const Layout& layout_tv, const IntTuple& tiler);

/// The bank map of the worst request of `access`: column b is bank b, and the lanes that access it are
/// listed in one row for each different word. One row is free of conflicts; lanes
/// in one cell share a word. Accesses wider than a bank show their phases one after the other.
Table bank_table(const ComposedLayout& storage, const TileAccess& access,
                 std::int64_t element_bytes, const BankModel& model = {});

/// The picture as text, SVG, typst or LaTeX.
std::string draw_text(const Table& table);
std::string draw_svg(const Table& table);
std::string draw_typst(const Table& table);
std::string draw_latex(const Table& table);

}  // namespace vkmoye
