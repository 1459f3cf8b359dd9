// SPDX-License-Identifier: MIT
#pragma once
// Where layouts meet the IR: windows on arrays, cut by tile and parallelize as in MoYe.jl.
//
// A view maps a value coordinate to one coordinate along each axis of its array:
//   coordinate along axis i of value v  =  sum of mode(index) over axes[i].taken + axes[i].values(v)
// Cutting a view splits its layouts: what is chosen is taken at an index of groups, threads and
// loops, what is kept are the values. All axes share one shape. Worked example, src (cols, rows) cut
// for the transpose of a 32x32 tile:
//
//   tile(src, {32, 32}, {block_x, block_y})
//       col   tiles:32 at block_x     values (32,32):(1,0)
//       row   tiles:32 at block_y     values (32,32):(0,1)
//   parallelize(that, (32,8):(1,32), thread)
//       col   tiles:32 at block_x, 32:1 at thread % 32, 8:0 at thread / 32     values (1,4):(0,0)
//       row   tiles:32 at block_y, 32:0 at thread % 32, 8:1 at thread / 32     values (1,4):(0,8)
//
// Index and layout stay apart, so that how wide an access may be, who owns what and the like are
// questions to layouts; `origin` makes one expression of all that is taken.
//
// A shared array has one axis, its offset, so the same functions cut it. Nothing here moves data or
// emits statements: views are values.

#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/layout/layout.hpp"
#include "vkmoye/layout/swizzle.hpp"
#include "vkmoye/tensor/tiled_copy.hpp"

namespace vkmoye::gen {

using ir::Expr;

/// A whole storage buffer: extents and strides are numbers or arguments, see Builder::AxisName.
struct Tensor {
  ir::Array array;
};

struct View {
  /// A mode that was chosen, and the index, below its extent, that it is taken at.
  struct Taken {
    Layout mode;
    Expr index;
  };
  struct Axis {
    std::vector<Taken> taken;
    Layout values;
  };
  /// A tile of a buffer was taken: number `coordinate` of ceil(extent / tile).
  struct Cut {
    Expr coordinate;
    Extent extent;
    std::int64_t tile;
  };
  std::string array;
  std::vector<Axis> axes;
  std::vector<Cut> cuts;  // where the grid comes from
  std::string name;       // how it was cut: "parallelize(transpose(tile), (32,8):(1,32))"
  Swizzle swizzle = {};   // of a shared array, applied to what its layout gives

  /// The shape that all axes share.
  IntTuple shape() const { return axes.front().values.shape(); }
};

/// Tile number `coordinate` of `tensor` cut into tiles of `extents`, one number for each axis:
/// element (i, j) is tensor(coordinate[0] * extents[0] + i, coordinate[1] * extents[1] + j).
/// The last tiles may hang over the edge; accesses are guarded where they are made.
/// MoYe.jl: `@tile A (bM,bN) (x,y)`. Throws LayoutError if the ranks differ.
View tile(const Tensor& tensor, const IntTuple& extents, const std::vector<Expr>& coordinate);

/// The same within a view, whose shape the tile must divide: zipped_divide, then the tile number
/// `coordinate` of the rest.
View tile(const View& view, const IntTuple& extents, const std::vector<Expr>& coordinate);

/// The values of `view` that belong to `thread`: thread coordinate t of `threads` owns the elements
/// t, t + TM, t + 2 TM .. along each mode, TM the extent of that mode of `threads`.
/// `threads` numbers the threads 0..size-1, each once; `thread` is an index below its size.
/// MoYe.jl: `@parallelize X threads thread`. Throws LayoutError if `threads` does not divide the
/// view's shape, naming the mode, or is no numbering of as many threads as `thread` counts.
View parallelize(const View& view, const Layout& threads, const Expr& thread);

/// With a projection: only the modes of `threads` that stand beside a number in `projection` take
/// part, the view's modes are cut by those, in order. `{1, _}` of (16,16):(1,16): thread % 16 cuts
/// mode 0, and all threads with the same remainder share their values; `{_, 1}`: thread / 16 does.
/// MoYe.jl: `@parallelize X threads thread (1,:)`.
View parallelize(const View& view, const Layout& threads, const Expr& thread,
                 const IntTuple& projection);

/// The values of `view` that belong to `thread` in a tiled copy: (value, rest modes..), the leaves
/// of value in the order of the copy's value layout. MoYe.jl, CuTe: partition_S, partition_D.
/// Throws LayoutError if the copy's tile does not divide the view's shape, or the copy has another
/// number of threads than `thread` counts.
View partition(const View& view, const TiledCopy& copy, const Expr& thread);

/// The two modes of a rank-2 view swapped; no data moves.
View transpose(const View& view);

/// The modes of `view` in another order: mode i is the one of number order[i]; no data moves.
/// Throws LayoutError unless `order` names each mode once.
View permute(const View& view, const std::vector<int>& order);

/// The values of `view` at the indices that `layout` gives, in the shape of `layout`: value c is value
/// layout(c) of `view`, counted with the first mode fastest. CuTe: composition(tensor, layout).
/// Throws LayoutError where the two do not compose.
View composition(const View& view, const Layout& layout);

/// `count` values of `view` from number `index` on, counted with the first mode fastest; after the
/// last value comes the first again. `index` must be a multiple of `count`.
/// Throws LayoutError unless `count` divides the extent of the first mode and, for all that is known,
/// the index.
View take(const View& view, const Expr& index, std::int64_t count);

/// The modes of `view` that stand beside `_` in `coordinate`, at the numbers of the others.
/// Throws LayoutError if a number is outside its mode.
View slice(const View& view, const IntTuple& coordinate);

/// Mode `mode` of `view` taken at an index that is known only at run time, the others kept.
/// Throws LayoutError if the index is not below the mode's extent by its bound, or the mode is the
/// only one.
View select(const View& view, int mode, const Expr& index);

/// The coordinate of the first value along an axis: what is taken, added up, numbers last.
Expr origin(const View::Axis& axis);

/// "Swizzle<5,0,5> o 0 o (32,32):(1,32)"; a layout without swizzle and offset as it is.
std::string text_of(const ComposedLayout& layout);

/// Where a swizzle puts the element at `offset`.
Expr swizzled(const Swizzle& swizzle, const Expr& offset);

/// `value` as an index of a shader. Throws LayoutError unless it fits 32 bits.
std::uint32_t to_index(std::int64_t value);

/// The coordinate of `thread` along each mode of `threads`: the inverse of a layout that numbers
/// them. CuTe: idx2crd(thread, shape, stride).
std::vector<Expr> thread_coordinates(const Layout& threads, const Expr& thread);

/// The value of `layout` at an index that is known only at run time: sum over its leaves of
/// ((index / product of the extents before) % extent) * stride.
Expr evaluate(const Layout& layout, const Expr& index);

}  // namespace vkmoye::gen
