// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/ir/guards.hpp"
#include "vkmoye/layout/algebra.hpp"
#include "vkmoye/layout/refine.hpp"
#include "vkmoye/layout/text.hpp"
#include "vkmoye/tensor/partition.hpp"

namespace vkmoye::gen {
namespace {

void require_count(std::int64_t threads, const Expr& thread, const std::string& operation) {
  if (static_cast<std::uint64_t>(threads) != thread->bound) {
    throw LayoutError(
        fmt::format("{}: the layout has {} threads, but the thread index has bound {}; in a branch "
                    "of fewer threads, such as less(thread, {}), thread % {} has their bound",
                    operation, threads, thread->bound, threads, threads));
  }
}

void require_divides(const View& view, const IntTuple& tile, const std::string& operation) {
  const IntTuple shape = view.shape();
  if (tile.rank() > shape.rank()) {
    throw LayoutError(fmt::format("{}: rank {} of the tile {} exceeds rank {} of the shape {}",
                                  operation, tile.rank(), to_string(tile), shape.rank(),
                                  to_string(shape)));
  }
  for (int i = 0; i < tile.rank(); ++i) {
    const std::int64_t extent = size(shape.mode(i)), part = size(tile.mode(i));
    if (extent % part != 0) {
      throw LayoutError(fmt::format("{}: {} does not divide the extent {} of mode {}", operation,
                                    part, extent, i));
    }
  }
}

// `axis` with the modes of `chosen` fixed at one index each; the values become `kept`.
View::Axis with_fixed(const View::Axis& axis, const Layout& chosen, const std::vector<Expr>& at,
                      const Layout& kept) {
  View::Axis out{axis.fixed, kept, axis.end};
  for (int i = 0; i < chosen.rank(); ++i) {
    out.fixed.push_back({chosen.mode(i), at[static_cast<std::size_t>(i)]});
  }
  return out;
}

// `leaves`, a flat layout, in modes of the sizes of those of `shape`.
Layout in_modes(const Layout& leaves, const IntTuple& shape) {
  std::vector<Layout> modes;
  int next = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    std::vector<Layout> of_mode;
    for (std::int64_t rest = size(shape.mode(i)); rest > 1; ++next) {
      of_mode.push_back(leaves.mode(next));
      rest /= size(leaves.mode(next));
    }
    modes.push_back(of_mode.empty()       ? Layout()
                    : of_mode.size() == 1 ? of_mode.front()
                                          : make_layout(of_mode));
  }
  return make_layout(modes);
}

// Makes the axes share one shape again, where a split has divided the layouts of some into more leaves than others.
void share_shape(View& view) {
  const IntTuple shape = view.shape();
  std::vector<Layout*> axes;
  for (View::Axis& axis : view.axes) axes.push_back(&axis.values);
  if (!share_leaves(axes)) {
    throw LayoutError(view.name + ": the layouts along its axes have no common refinement");
  }
  for (Layout* axis : axes) {
    if (axis->shape() != shape) *axis = in_modes(*axis, shape);
  }
}

// `view` with the layout of each axis split by `split`; the chosen modes are fixed at `at`.
template <class SplitAxis>
View split_view(const View& view, std::string name, const std::vector<Expr>& at, SplitAxis split) {
  View out{view.array, {}, view.tilings, std::move(name), view.swizzle};
  for (const View::Axis& axis : view.axes) {
    const Split parts = split(axis.values);
    out.axes.push_back(with_fixed(axis, parts.chosen, at, parts.kept));
  }
  share_shape(out);
  return out;
}

// An index for the name of a view: "kk", "(k_tile + 1) % 2"; ".." stands for other operations.
std::string index_text(const Expr& index, bool is_operand = false) {
  const auto infix = [&](const char* symbol) {
    const std::string text =
        fmt::format("{} {} {}", index_text(index->operands[0], /*is_operand=*/true), symbol,
                    index_text(index->operands[1], /*is_operand=*/true));
    return is_operand ? "(" + text + ")" : text;
  };
  switch (index->op) {
    case ir::Op::constant: return std::to_string(index->value);
    case ir::Op::variable: return index->name;
    case ir::Op::add: return infix("+");
    case ir::Op::subtract: return infix("-");
    case ir::Op::multiply: return infix("*");
    case ir::Op::divide: return infix("/");
    case ir::Op::modulo: return infix("%");
    default: return "..";
  }
}

// The largest number of tiles of `step` that an axis can have.
std::int64_t max_tiles(const Extent& extent, std::int64_t step) {
  constexpr std::int64_t kMaxElementsOfExtent = 0xffffffff;
  const std::int64_t max_extent = extent.is_symbol() ? kMaxElementsOfExtent : extent.value;
  return (max_extent + step - 1) / step;
}

}  // namespace

bool share_leaves(const std::vector<Layout*>& layouts) {
  const IntTuple shape = layouts.front()->shape();
  const auto has_shape = [&](const Layout* one) { return one->shape() == shape; };
  if (std::all_of(layouts.begin(), layouts.end(), has_shape)) return true;
  std::vector<Layout> all;
  for (const Layout* one : layouts) all.push_back(*one);
  const auto refined = common_refinement(all);
  if (!refined) return false;
  for (std::size_t i = 0; i < all.size(); ++i) *layouts[i] = (*refined)[i];
  return true;
}

std::uint32_t to_index(std::int64_t value) {
  if (value < 0 || value > 0xffffffff) {
    throw LayoutError(fmt::format("{} does not fit the 32 bits of an index in a shader", value));
  }
  return static_cast<std::uint32_t>(value);
}

Expr origin(const View::Axis& axis) {
  Expr sum = 0, number = 0;
  for (const View::FixedMode& one : axis.fixed) {
    const Expr part = evaluate(one.mode, one.index);
    (ir::is_constant(part) ? number : sum) = (ir::is_constant(part) ? number : sum) + part;
  }
  return sum + number;
}

std::string text_of(const ComposedLayout& layout) {
  const bool is_plain = layout.swizzle.bits() == 0 && layout.offset == 0;
  return is_plain ? to_string(layout.layout) : to_string(layout);
}

Expr swizzled(const Swizzle& swizzle, const Expr& offset) {
  if (swizzle.bits() == 0) return offset;
  const Expr source = ir::bit_and(offset, to_index(swizzle.source_mask()));
  const std::int64_t shift = swizzle.shift();
  return ir::bit_xor(offset, shift >= 0 ? ir::shift_right(source, to_index(shift))
                                        : ir::shift_left(source, to_index(-shift)));
}

View make_identity_view(const IntTuple& extents) {
  View out;
  out.name = fmt::format("coordinates({})", to_string(extents));
  for (int axis = 0; axis < extents.rank(); ++axis) {
    std::vector<Layout> modes;
    for (int mode = 0; mode < extents.rank(); ++mode) {
      const std::int64_t extent = size(extents.mode(mode));
      modes.push_back(Layout(extent, mode == axis ? 1 : 0));
    }
    out.axes.push_back({{}, make_layout(modes)});
  }
  return out;
}

// A leaf (extent, stride) contributes ((thread / stride) % extent) times the extents before it in
// its mode.
std::vector<Expr> thread_coordinates(const Layout& threads, const Expr& thread) {
  std::vector<Expr> out;
  for (int i = 0; i < threads.rank(); ++i) {
    Expr coordinate = 0;
    std::int64_t before = 1;
    const Layout mode = threads.mode(i);
    for (const Mode& leaf : mode.leaves()) {
      if (leaf.stride > 0) {
        coordinate = coordinate + Expr(to_index(before)) *
                                      (thread / to_index(leaf.stride) % to_index(leaf.extent));
      }
      before *= leaf.extent;
    }
    out.push_back(coordinate);
  }
  return out;
}

View select(const View& view, int mode, const Expr& index) {
  const IntTuple shape = view.shape();
  std::vector<std::string> at(static_cast<std::size_t>(shape.rank()), "_");
  if (mode >= 0 && mode < shape.rank()) at[static_cast<std::size_t>(mode)] = index_text(index);
  View out{view.array,
           {},
           view.tilings,
           fmt::format("slice({}, ({}))", view.name, fmt::join(at, ",")),
           view.swizzle};
  if (shape.rank() < 2) {
    throw LayoutError(fmt::format(
        "select({}, {}): the shape {} has only this mode; use tile({}, {{1}}, ..) for one value",
        view.name, mode, to_string(shape), view.name));
  }
  if (mode < 0 || mode >= shape.rank() ||
      index->bound > static_cast<std::uint64_t>(size(shape.mode(mode)))) {
    throw LayoutError(
        fmt::format("select({}, {}): an index below {} is outside mode {} of the shape {}",
                    view.name, mode, index->bound, mode, to_string(shape)));
  }
  for (const View::Axis& axis : view.axes) {
    std::vector<Layout> kept;
    for (int i = 0; i < shape.rank(); ++i) {
      if (i != mode) kept.push_back(axis.values.mode(i));
    }
    out.axes.push_back(
        with_fixed(axis, make_layout(axis.values.mode(mode)), {index}, make_layout(kept)));
  }
  return out;
}

Expr evaluate(const Layout& layout, const Expr& index) {
  Expr sum = 0;
  Expr rest = index;
  const auto leaves = layout.leaves();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const bool last = i + 1 == leaves.size();
    const std::uint32_t extent = to_index(leaves[i].extent);
    sum = sum + Expr(to_index(leaves[i].stride)) * (last ? rest : rest % extent);
    rest = rest / extent;
  }
  return sum;
}

View tile(const Tensor& tensor, const IntTuple& extents, const std::vector<Expr>& coordinate) {
  const std::size_t rank = tensor.array.axes.size();
  if (static_cast<std::size_t>(extents.rank()) != rank || coordinate.size() != rank) {
    throw LayoutError(fmt::format(
        "tile of {}, rank {}: the tile {} has rank {} and the coordinate has "
        "rank {}",
        tensor.array.name, rank, to_string(extents), extents.rank(), coordinate.size()));
  }
  View out{tensor.array.name,
           {},
           {},
           fmt::format("tile({}, {})", tensor.array.name, to_string(extents))};
  for (std::size_t axis = 0; axis < rank; ++axis) {
    std::vector<Layout> modes;  // stride 1 along its own mode, 0 along the others
    for (std::size_t mode = 0; mode < rank; ++mode) {
      modes.emplace_back(IntTuple(size(extents.mode(static_cast<int>(mode)))),
                         IntTuple(std::int64_t{mode == axis}));
    }
    const std::int64_t step = size(extents.mode(static_cast<int>(axis)));
    const Extent& extent = tensor.array.axes[axis].extent;
    out.axes.push_back(
        {{{Layout(max_tiles(extent, step), step), coordinate[axis]}}, make_layout(modes)});
    out.tilings.push_back({coordinate[axis], extent, step});
  }
  return out;
}

View tile(const View& view, const IntTuple& extents, const std::vector<Expr>& coordinate) {
  const std::string name = fmt::format("tile({}, {})", view.name, to_string(extents));
  require_divides(view, extents, name);
  View out = split_view(view, name, coordinate,
                        [&](const Layout& values) { return tile_split(values, extents); });
  const bool is_first = std::all_of(coordinate.begin(), coordinate.end(), [](const Expr& at) {
    return is_constant(at) && at->value == 0;
  });
  for (View::Tiling& tiling : out.tilings) tiling.has_inner = tiling.has_inner || !is_first;
  return out;
}

void View::Axis::shift(std::int64_t first) {
  if (first > 0) fixed.push_back({Layout(first + 1, 1), to_index(first)});
}

View shifted(const View& view, std::size_t axis, const Expr& first, const Expr& end) {
  View out = view;
  out.name = fmt::format("shifted({}, {})", view.name, index_text(first));
  out.axes.at(axis).fixed.push_back({Layout(1, 1), first});
  out.axes.at(axis).end = end;
  if (axis < out.tilings.size()) {
    View::Tiling& tiling = out.tilings[axis];
    tiling = {Expr(to_index(tiling.tile)) * tiling.coordinate + first, tiling.extent, 1};
  }
  return out;
}

View parallelize(const View& view, const Layout& threads, const Expr& thread) {
  return parallelize(view, threads, thread, _);
}

View parallelize(const View& view, const Layout& all_threads, const Expr& thread,
                 const IntTuple& projection) {
  const Layout threads = projected_threads(all_threads, projection);
  const std::string name = fmt::format("parallelize({}, {})", view.name, to_string(threads));
  require_count(size(all_threads), thread, name);
  if (cosize(all_threads) != size(all_threads) || !is_injective(all_threads)) {
    throw LayoutError(fmt::format("{}: {} does not number its {} threads 0 to {}, each once", name,
                                  to_string(all_threads), size(all_threads),
                                  size(all_threads) - 1));
  }
  require_divides(view, threads.shape(), name);
  return split_view(view, name, thread_coordinates(threads, thread),
                    [&](const Layout& values) { return thread_split(values, threads); });
}

View partition(const View& view, const TiledCopy& copy, const Expr& thread) {
  const std::string name = fmt::format("partition({}, {})", view.name, to_string(copy.tiler));
  require_divides(view, copy.tiler, name);
  require_count(size(copy.layout_tv, 0), thread, name);
  return split_view(view, name, {thread}, [&](const Layout& values) {
    const Split parts = tile_split(values, copy.tiler);
    const Layout owned = composition(parts.kept, copy.layout_tv);  // (thread, value)
    std::vector<Layout> kept = {owned.mode(1)};
    for (int i = 0; i < parts.chosen.rank(); ++i) kept.push_back(parts.chosen.mode(i));
    return Split{make_layout(kept), make_layout(owned.mode(0))};
  });
}

View transpose(const View& view) {
  View out{view.array, {}, view.tilings, fmt::format("transpose({})", view.name), view.swizzle};
  for (const View::Axis& axis : view.axes) {
    out.axes.push_back({axis.fixed, transpose(axis.values), axis.end});
  }
  return out;
}

View permute(const View& view, const std::vector<int>& order) {
  std::vector<int> sorted = order, all(static_cast<std::size_t>(view.shape().rank()));
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 0);
  View out = view;
  out.name = fmt::format("permute({}, ({}))", view.name, fmt::join(order, ","));
  if (sorted != all) {
    throw LayoutError(
        fmt::format("{}: the order must contain each of the {} modes once", out.name, all.size()));
  }
  if (order == all) return view;
  for (View::Axis& axis : out.axes) {
    std::vector<Layout> modes;
    for (const int mode : order) modes.push_back(axis.values.mode(mode));
    axis.values = make_layout(modes);
  }
  return out;
}

View composition(const View& view, const Layout& layout) {
  View out = view;
  out.name = fmt::format("composition({}, {})", view.name, to_string(layout));
  for (View::Axis& axis : out.axes) axis.values = composition(axis.values, layout);
  share_shape(out);
  return out;
}

View take(const View& view, const Expr& index, std::int64_t count) {
  View out{
      view.array, {}, view.tilings, fmt::format("take({}, {})", view.name, count), view.swizzle};
  if (count < 1 || size(view.shape().mode(0)) % count != 0) {
    throw LayoutError(fmt::format("{}: {} does not divide the extent {} of the first mode",
                                  out.name, count, size(view.shape().mode(0))));
  }
  if (!ir::is_multiple(index, static_cast<std::uint32_t>(count), {})) {
    throw LayoutError(
        fmt::format("{}: the index cannot be proved to be a multiple of {}", out.name, count));
  }
  // A last mode of stride 0 makes the numbers past the end wrap around.
  const Layout rounds(std::max<std::int64_t>(1, 0xffffffff / size(view.shape())), 0);
  for (const View::Axis& axis : view.axes) {
    out.axes.push_back(with_fixed(axis, make_layout(make_layout(axis.values, rounds)), {index},
                                  make_layout(composition(axis.values.mode(0), Layout(count)))));
  }
  share_shape(out);
  return out;
}

View slice(const View& view, const IntTuple& coordinate) {
  View out{view.array,
           {},
           view.tilings,
           fmt::format("slice({}, {})", view.name, to_string(coordinate)),
           view.swizzle};
  const IntTuple shape = product_each(view.shape());
  for (int i = 0; i < coordinate.rank() && i < shape.rank(); ++i) {
    const IntTuple at = coordinate.mode(i);
    if (at.is_leaf() && at.leaf(0) != _ && at.leaf(0) >= size(shape.mode(i))) {
      throw LayoutError(fmt::format("{}: {} is outside mode {}, extent {}", out.name, at.leaf(0), i,
                                    size(shape.mode(i))));
    }
  }
  std::vector<Expr> at;
  for (const std::int64_t index : coordinate.leaves()) {
    if (index != _) at.emplace_back(to_index(index));
  }
  for (const View::Axis& axis : view.axes) {
    out.axes.push_back(
        with_fixed(axis, dice(coordinate, axis.values), at, slice(coordinate, axis.values)));
  }
  return out;
}

Expr Tensor::extent(std::size_t axis) const { return ir::extent_of(array.axes.at(axis)); }

Expr Tensor::element_count() const {
  Expr all = 1;
  for (const ir::Axis& axis : array.axes) all = all * ir::extent_of(axis);
  return all;
}

}  // namespace vkmoye::gen
