// SPDX-License-Identifier: MIT
#pragma once
// Divides work: a layout cut into tiles, or distributed over threads.
//
//   A = (8,4):(1,8), threads = (2,2):(1,2)
//
//   tile_split(A, {4,2})       kept (4,2):(1,8)    chosen (2,2):(4,16)   one tile | which tile
//   thread_split(A, threads)   kept (4,2):(2,16)   chosen (2,2):(1,8)    a thread's | which
//
//        0 0 1 1          0 2 0 2        left: which tile owns each element
//        0 0 1 1          1 3 1 3        right: which thread
//        ..               ..
//
// Both are zipped_divide; they differ in the half that a worker keeps. Element v of worker c is at
// kept(v) + chosen(c), and every element belongs to exactly one (worker, value) when the tile
// divides the layout. Where it does not, the last tile reaches past the end and the caller guards
// it with coordinates.
//
// MoYe.jl: @tile, @parallelize (docs/src/api/array.md). CuTe: local_tile, local_partition,
// inner_partition, outer_partition (include/cute/tensor_impl.hpp).

#include <cstdint>

#include "vkmoye/layout/divide.hpp"
#include "vkmoye/layout/inverse.hpp"
#include "vkmoye/layout/slice.hpp"

namespace vkmoye {

/// Element v of worker c is at kept(v) + chosen(c).
struct Split {
  Layout kept;
  Layout chosen;
};

/// kept: one tile; chosen: which tile. Throws LayoutError if zipped_divide does.
constexpr Split tile_split(const Layout& layout, const Tiler& tile) {
  const Halves parts = tile_and_rest(layout, tile);
  return {parts.first, parts.second};
}

/// kept: one thread's values; chosen: which thread, one index per mode of `threads`.
/// Only the shape of `threads` cuts; its strides say which thread id has which coordinate.
constexpr Split thread_split(const Layout& layout, const Layout& threads) {
  const Halves parts = tile_and_rest(layout, product_each(threads.shape()));
  return {parts.second, parts.first};
}

/// The coordinate of thread `id`, one index per mode of `threads` (a number for a leaf). Ids past
/// the last thread wrap: with (16):(1), id 17 is at (1), which the projections rely on.
constexpr IntTuple thread_coordinate(const Layout& threads, std::int64_t id) {
  const IntTuple nested = idx2crd(id, threads);
  if (nested.is_leaf()) return nested;
  TreeBuilder<std::int64_t> builder;
  builder.open(nested.rank());
  for (int i = 0; i < nested.rank(); ++i)
    builder.leaf(crd2idx(nested.mode(i), threads.mode(i).shape()));
  return builder.tree();
}

/// The split as one layout (thread id, value) -> offset. Throws LayoutError unless `threads` is compact:
/// its strides number the threads 0 to size-1.
constexpr Layout thread_value_layout(const Split& split, const Layout& threads) {
  if (!is_compact(threads))
    raise("thread_value_layout", {threads}, "they are not numbered 0 to {}, each once",
          {threads.size() - 1});
  return make_layout(composition(split.chosen, right_inverse(threads)), split.kept);
}

/// The modes of `threads` that `projection` names with a number: (1,_) keeps mode 0 of a
/// (rows, columns) arrangement, so all threads of a row share their part. Everything for `_`.
constexpr Layout projected_threads(const Layout& threads, const IntTuple& projection) {
  return projection == IntTuple(_) ? threads : dice(projection, threads);
}

/// Tile number `coordinate` of `layout`: (tile modes.., rest modes at `_`..). A coordinate with
/// fewer modes than the rest continues with `_`; a number is an index into all tiles.
/// Postcondition: result(v) is the layout's offset of element v of that tile.
constexpr OffsetLayout local_tile(const Layout& layout, const Tiler& tile,
                                  const IntTuple& coordinate) {
  const Split split = tile_split(layout, tile);
  IntTuple which = coordinate;
  if (!coordinate.is_leaf() && coordinate.rank() < split.chosen.rank()) {
    TreeBuilder<std::int64_t> builder;
    builder.open(split.chosen.rank());
    for (int i = 0; i < split.chosen.rank(); ++i)
      builder.add(i < coordinate.rank() ? coordinate.mode(i) : IntTuple(_));
    which = builder.tree();
  }
  const OffsetLayout rest = slice_and_offset(which, split.chosen);
  return {detail::concat_modes(split.kept, rest.layout), rest.offset};
}

/// The part of thread `id`. Postcondition: over all ids of `threads`, every element is in exactly one part,
/// if `threads` is compact and its shape divides the layout's.
constexpr OffsetLayout local_partition(const Layout& layout, const Layout& threads, std::int64_t id,
                                       const IntTuple& projection = _) {
  const Layout active = projected_threads(threads, projection);
  const Split split = thread_split(layout, active);
  return {split.kept, split.chosen(thread_coordinate(active, id))};
}

}  // namespace vkmoye
