// SPDX-License-Identifier: MIT
#pragma once
// Cut a layout into tiles.
//
//   A = (8,6):(1,8) by [4, 3]
//   logical_divide   ((4,2),(3,2)):((1,4),(8,24))     each mode becomes (coordinate in the tile, index of the tile)
//   zipped_divide    ((4,3),(2,2)):((1,8),(4,24))     (all coordinates, all indices): mode 0 is one tile
//   tiled_divide     ((4,3),2,2):((1,8),4,24)         the modes of the tile's index as separate modes
//   flat_divide      (4,3,2,2):(1,8,4,24)             all modes separate
//
// A tile that does not divide gives one more tile, whose end is past the layout's: (8):(1) by 3 is
// (3,3), as in CuTe. Throws LayoutError if such a tile would extend into the next mode, whose
// offsets do not continue.
//
// CuTe: media/docs/cpp/cute/02_layout_algebra.md, "Division".

#include "vkmoye/base/error.hpp"
#include "vkmoye/layout/by_mode.hpp"
#include "vkmoye/layout/complement.hpp"
#include "vkmoye/layout/composition.hpp"

namespace vkmoye {

namespace detail {
constexpr Layout divide_by_layout(const Layout& a, const Layout& tile) {
  return composition(a, make_layout(tile, complement(tile, a.size())));
}
}  // namespace detail

/// Postcondition: for a layout (or a number) as tiler, mode 0 is composition(a, tiler) and mode 1 its
/// repetitions: a o (t, complement(t, size(a))), so that (i, j) is at a(t(i) + complement(j)). For a
/// list, mode i is logical_divide(a_i, t_i); modes that the list does not reach, or `_`, stay whole.
/// Elements that no repetition of the tile reaches are omitted: 6:1 by (2,2):(1,3) is ((2,2),1).
/// Throws LayoutError if a composition or a complement does not exist; see composition, complement.
constexpr Layout logical_divide(const Layout& a, const Tiler& tiler) try {
  return detail::by_mode(a, tiler, detail::divide_by_layout);
} catch (const LayoutError& inner) {
  raise_from("logical_divide", {a, tiler}, inner);
}

/// The two modes of zipped_divide as separate layouts: first inside a tile, second which tile.
constexpr Halves tile_and_rest(const Layout& a, const Tiler& tiler) try {
  return detail::unzip(a, tiler, detail::divide_by_layout);
} catch (const LayoutError& inner) {
  raise_from("zipped_divide", {a, tiler}, inner);
}

/// Postcondition: rank 2; mode 0 is composition(a, tiler), mode 1 says which tile. Under `_`, the tile is 1
/// and the rest the whole mode (as pycute). Modes past the list belong to the rest.
constexpr Layout zipped_divide(const Layout& a, const Tiler& tiler) {
  const Halves split = tile_and_rest(a, tiler);
  return make_layout(split.first, split.second);
}

/// Postcondition: zipped_divide with the modes of its mode 1 spread out: (tile, rest 0, rest 1, ..). The
/// function of a 1-D index stays.
constexpr Layout tiled_divide(const Layout& a, const Tiler& tiler) {
  return detail::spread_second(tile_and_rest(a, tiler));
}

/// Postcondition: (tile 0, tile 1, .., rest 0, rest 1, ..), the function of zipped_divide.
constexpr Layout flat_divide(const Layout& a, const Tiler& tiler) {
  const Halves split = tile_and_rest(a, tiler);
  return detail::concat_modes(split.first, split.second);
}

/// The extents of the grid of tiles: per leaf of the tiler, how many tiles of that extent cover the
/// mode. ceil_div((100,70), (32,32)) is (4,3); modes past the tiler stay. Throws LayoutError if the tiler
/// has more modes, or is nested deeper.
constexpr IntTuple ceil_div(const IntTuple& shape, const IntTuple& tiler) {
  if (tiler.is_leaf()) {
    if (!shape.is_leaf()) return ceil_div(size(shape), tiler.leaf(0));
    return ceil_div(shape.leaf(0), tiler.leaf(0));
  }
  if (shape.is_leaf() || tiler.rank() > shape.rank())
    raise("ceil_div", {shape, tiler}, "{} tilers for {} modes",
          {tiler.rank(), shape.is_leaf() ? 1 : shape.rank()});
  TreeBuilder<std::int64_t> builder;
  builder.open(shape.rank());
  for (int i = 0; i < shape.rank(); ++i) {
    const IntTuple mode = shape.mode(i);
    builder.add(i < tiler.rank() ? ceil_div(mode, tiler.mode(i)) : mode);
  }
  return builder.tree();
}

}  // namespace vkmoye
