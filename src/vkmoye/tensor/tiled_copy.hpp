// SPDX-License-Identifier: MIT
#pragma once
// Which thread copies which elements of a tile, as one layout.
//
//   make_tiled_copy(threads (2,3):(3,1), values (2,3):(1,2))     a tile of (4,9), 6 threads
//
//     0 0 0 1 1 1 2 2 2          layout_tv ((3,2),(2,3)):((12,2),(1,4))
//     0 0 0 1 1 1 2 2 2          layout_tv(thread, value) is the index in the column-major tile:
//     3 3 3 4 4 4 5 5 5          thread 1 has 12 13 16 17 20 21
//     3 3 3 4 4 4 5 5 5
//
// CuTe: make_tiled_copy (include/cute/atom/copy_atom.hpp). MoYe.jl: make_tiled_copy.

#include <cstdint>

#include "vkmoye/layout/inverse.hpp"
#include "vkmoye/layout/product.hpp"

namespace vkmoye {

struct TiledCopy {
  Layout layout_tv;                // (thread, value) -> index in the column-major tile
  IntTuple tiler;                  // extents of the tile
  std::int64_t atom_elements = 1;  // values that one access moves, see copy_atom.hpp
};

/// Each thread holds a block of `values` elements; the blocks are laid out as `threads` says.
/// Postcondition: size(threads) * size(values) == size(tiler), and layout_tv takes every index of the tile
/// exactly once. With x_i = v_i + size(values_i) * t_i for every mode, element x of the tile belongs
/// to thread threads(t) as its value values(v). Throws LayoutError if threads or values are not
/// compact: then some thread or value has no element.
constexpr TiledCopy make_tiled_copy(const Layout& threads, const Layout& values) try {
  if (!is_compact(threads))
    raise("threads", {threads}, "they are not numbered 0 to {}, each once", {threads.size() - 1});
  if (!is_compact(values))
    raise("values", {values}, "they are not numbered 0 to {}, each once", {values.size() - 1});
  const Layout ids = raked_product(threads, values);  // (m, n) -> thread + value * threads
  return {composition(right_inverse(ids), make_layout({threads.size(), values.size()})),
          product_each(ids.shape()), 1};
} catch (const LayoutError& inner) {
  raise_from("make_tiled_copy", {threads, values}, inner);
}

}  // namespace vkmoye
