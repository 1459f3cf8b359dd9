// SPDX-License-Identifier: MIT
#pragma once
// Where layouts meet the IR: views of arrays, split by tile and parallelize as in MoYe.jl.
//
// A view maps a value coordinate to one coordinate along each axis of its array:
//   coordinate along axis i of value v  =  sum of mode(index) over axes[i].fixed + axes[i].values(v)
// Splitting a view splits its layouts: the chosen modes are fixed at an index made of block
// coordinates, thread and loop variables; the modes that are kept are the values. All axes share one
// shape. Worked example, src (cols, rows) split for the transpose of a 32x32 tile:
//
//   tile(src, {32, 32}, {block_x, block_y})
//       col   tiles:32 at block_x     values (32,32):(1,0)
//       row   tiles:32 at block_y     values (32,32):(0,1)
//   parallelize(that, (32,8):(1,32), thread)
//       col   tiles:32 at block_x, 32:1 at thread % 32, 8:0 at thread / 32     values (1,4):(0,0)
//       row   tiles:32 at block_y, 32:0 at thread % 32, 8:1 at thread / 32     values (1,4):(0,8)
//
// Index and layout stay separate, so that the width of an access, the owner of an element and the
// like are properties of layouts; `origin` combines all fixed modes into one expression.
//
// A shared array has one axis, its offset, so the same functions split it. Nothing here moves data or
// emits statements: views are values.

#include <optional>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/layout/layout.hpp"
#include "vkmoye/layout/swizzle.hpp"
#include "vkmoye/tensor/tiled_copy.hpp"

namespace vkmoye::gen {

using ir::Expr;

/// A whole storage buffer. Extents and strides are numbers or arguments; see Builder::AxisSpec.
struct Tensor {
  ir::Array array;

  /// The extent along an axis, as an index.
  Expr extent(std::size_t axis) const;
  /// The number of elements, as an index.
  Expr element_count() const;
};

struct View {
  /// A chosen mode, and the index, below its extent, at which it is fixed.
  struct FixedMode {
    Layout mode;
    Expr index;
  };
  /// The coordinates along one axis of the array: the sum of the fixed modes and of `values`.
  struct Axis {
    std::vector<FixedMode> fixed;
    Layout values;
    /// Coordinates from here on are outside; nullopt: the extent of the array.
    std::optional<Expr> end = {};

    /// Adds `first` to all coordinates.
    void shift(std::int64_t first);
  };
  /// A tile of a buffer: number `coordinate` of ceil(extent / tile).
  struct Tiling {
    Expr coordinate;
    Extent extent;
    std::int64_t tile;
    bool has_inner = false;  // whether the view is a tile within this tile
  };
  std::string array;
  std::vector<Axis> axes;
  std::vector<Tiling> tilings;  // that led to this view; the grid follows from them
  std::string name;             // how it was made: "parallelize(transpose(tile), (32,8):(1,32))"
  Swizzle swizzle = {};         // for a shared array, applied to the offset that its layout gives

  /// The shape that all axes share.
  IntTuple shape() const { return axes.front().values.shape(); }
};

/// A view and the array that it selects from.
struct ArrayView {
  View view;
  const ir::Array* array;
  /// The elements of a matrix that a lane holds, if the array has matrices.
  std::int64_t of_matrix = 0;
};

/// Tile number `coordinate` of `tensor` split into tiles of `extents`, one number for each axis:
/// element (i, j) is tensor(coordinate[0] * extents[0] + i, coordinate[1] * extents[1] + j).
/// The last tiles may extend past the edge; the operations that access them add the guards.
/// MoYe.jl: `@tile A (bM,bN) (x,y)`. Throws LayoutError if the ranks differ.
View tile(const Tensor& tensor, const IntTuple& extents, const std::vector<Expr>& coordinate);

/// Tile number `coordinate` of a view, whose shape the tile must divide: zipped_divide, then one index of the mode that
/// runs from tile to tile.
View tile(const View& view, const IntTuple& extents, const std::vector<Expr>& coordinate);

/// A view of a buffer, shifted along an axis so that it begins `first` elements later. Coordinates from `end` on count
/// as outside, as if the array ended there. This selects, for example, one of several groups of rows. Both numbers may
/// be values from memory; `end` must be at most the extent. No grid follows from it.
View shifted(const View& view, std::size_t axis, const Expr& first, const Expr& end);

/// The coordinates of a tile of `extents` as a view without an array: value (i, j) has coordinate i along axis 0 and j
/// along axis 1. Split like the tile, it tells a placed function where each value of a thread is; see Builder::apply.
/// CuTe: make_identity_tensor.
View make_identity_view(const IntTuple& extents);

/// The values of `view` that belong to `thread`: thread coordinate t of `threads` owns the elements
/// t, t + TM, t + 2 TM .. along each mode, TM the extent of that mode of `threads`.
/// `threads` numbers the threads 0..size-1, each once; `thread` is an index below its size.
/// MoYe.jl: `@parallelize X threads thread`. Throws LayoutError if `threads` does not divide the
/// view's shape, naming the mode, or does not number exactly as many threads as the bound of `thread`.
View parallelize(const View& view, const Layout& threads, const Expr& thread);

/// Splits the view's modes, in order, only by the modes of `threads` for which `projection` has a
/// number. `{1, _}` of (16,16):(1,16): thread % 16 splits mode 0, and all threads
/// with the same remainder share their values; with `{_, 1}`, thread / 16 splits it.
/// MoYe.jl: `@parallelize X threads thread (1,:)`.
View parallelize(const View& view, const Layout& threads, const Expr& thread,
                 const IntTuple& projection);

/// The values of `view` that belong to `thread` in a tiled copy: (value, rest modes..), the leaves
/// of value in the order of the copy's value layout. MoYe.jl, CuTe: partition_S, partition_D.
/// Throws LayoutError if the copy's tile does not divide the view's shape, or if the number of
/// threads of the copy is not the bound of `thread`.
View partition(const View& view, const TiledCopy& copy, const Expr& thread);

/// A rank-2 view with its two modes swapped; no data moves.
View transpose(const View& view);

/// The modes of `view` in another order: mode i of the result is mode order[i]; no data moves.
/// Throws LayoutError unless `order` contains each mode once.
View permute(const View& view, const std::vector<int>& order);

/// The values of `view` at the indices that `layout` gives, in the shape of `layout`: value c is value
/// layout(c) of `view`, counted with the first mode fastest. CuTe: composition(tensor, layout).
/// Throws LayoutError if the two do not compose.
View composition(const View& view, const Layout& layout);

/// `count` values of `view` from number `index` on, counted with the first mode fastest; numbers past
/// the last value wrap around. `index` must be a multiple of `count`.
/// Throws LayoutError unless `count` divides the extent of the first mode and provably divides the
/// index.
View take(const View& view, const Expr& index, std::int64_t count);

/// The modes of `view` for which `coordinate` has `_`, with the others fixed at its numbers.
/// Throws LayoutError if a number is outside its mode.
View slice(const View& view, const IntTuple& coordinate);

/// `view` with mode `mode` fixed at an index that is known only at run time.
/// Throws LayoutError if the bound of the index exceeds the mode's extent, or if `view` has only that
/// mode.
View select(const View& view, int mode, const Expr& index);

/// The coordinate of the first value along an axis: the sum of all fixed modes, constants last.
Expr origin(const View::Axis& axis);

/// "Swizzle<5,0,5> o 0 o (32,32):(1,32)"; just the layout if there is neither swizzle nor offset.
std::string text_of(const ComposedLayout& layout);

/// The offset to which a swizzle moves the element at `offset`.
Expr swizzled(const Swizzle& swizzle, const Expr& offset);

/// `value` as an index in a shader. Throws LayoutError unless it fits 32 bits.
std::uint32_t to_index(std::int64_t value);

/// The coordinate of `thread` along each mode of `threads`: the inverse of a layout that numbers
/// them. CuTe: idx2crd(thread, shape, stride).
std::vector<Expr> thread_coordinates(const Layout& threads, const Expr& thread);

/// Splits the leaves of `layouts`, unless they share one shape. Returns whether they have a common refinement.
bool share_leaves(const std::vector<Layout*>& layouts);

/// The value of `layout` at an index that is known only at run time: sum over its leaves of
/// ((index / product of the extents before) % extent) * stride.
Expr evaluate(const Layout& layout, const Expr& index);

}  // namespace vkmoye::gen
