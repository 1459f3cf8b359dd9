// SPDX-License-Identifier: MIT
#pragma once
// A layout is a function from coordinates to offsets, written shape:stride.
//
//   (2,4):(1,2)            ((2,2),4):((1,8),2)
//
//        0 2 4 6                0  2  4  6        element (i,j) is at the offset in row i,
//        1 3 5 7                1  3  5  7        column j; in the second, rows 2 and 3 are
//                               8 10 12 14        8 further on
//                               9 11 13 15
//
// A coordinate may be a single index (the first mode varies fastest), one index per mode, or as
// nested as the shape: all three name the same element. Layouts are run-time values, and every
// operation on them is constexpr: `static_assert(composition(a, b) == c)` works.
//
// A Layout is always valid: shape and stride are stored together leaf by leaf, extents are >= 1,
// strides are >= 0, and size and cosize fit 64 bits.
//
// Names and meaning follow CuTe (include/cute/layout.hpp) and MoYe.jl (docs/src/api/layout.md);
// indices are 0-based.

#include <concepts>
#include <cstdint>
#include <span>

#include "vkmoye/base/overflow.hpp"
#include "vkmoye/layout/int_tuple.hpp"

namespace vkmoye {

/// A leaf of a layout: coordinates 0..extent-1, `stride` apart.
struct Mode {
  std::int64_t extent = 1;
  std::int64_t stride = 0;
  constexpr bool operator==(const Mode&) const = default;
};

/// Which mode is contiguous: the first (column-major) or the last.
enum class Major { kColumn, kRow };

class Layout {
 public:
  /// 1:0, a single point.
  constexpr Layout() : modes_(Mode{1, 0}) {}

  /// The compact column-major layout of `shape`.
  constexpr explicit Layout(const IntTuple& shape) : Layout(shape, compact_column_major(shape)) {}

  /// shape:stride. Throws LayoutError unless both have the same nesting, extents are >= 1, strides are >= 0,
  /// and size and cosize fit 64 bits.
  constexpr explicit Layout(const IntTuple& shape, const IntTuple& stride) {
    if (!shape.congruent_to(stride))
      raise("layout", {shape, stride}, "shape and stride are nested differently");
    int i = 0;
    modes_ = shape.map<Mode>([&](std::int64_t extent) { return Mode{extent, stride.leaf(i++)}; });
    check();
  }

  /// The layout with these modes. Throws LayoutError if it is not valid.
  constexpr explicit Layout(const Tree<Mode>& modes) : modes_(modes) { check(); }

  /// Number of coordinates: the product of the extents.
  constexpr std::int64_t size() const {
    std::int64_t result = 1;
    for (const Mode& mode : leaves()) result *= mode.extent;
    return result;
  }

  /// One more than the largest offset: the elements an array needs to hold this layout.
  constexpr std::int64_t cosize() const {
    std::int64_t last = 0;
    for (const Mode& mode : leaves()) last += (mode.extent - 1) * mode.stride;
    return last + 1;
  }

  constexpr int rank() const { return modes_.rank(); }
  constexpr int depth() const { return modes_.depth(); }
  constexpr bool is_leaf() const { return modes_.is_leaf(); }

  constexpr IntTuple shape() const {
    return modes_.map<std::int64_t>([](const Mode& mode) { return mode.extent; });
  }
  constexpr IntTuple stride() const {
    return modes_.map<std::int64_t>([](const Mode& mode) { return mode.stride; });
  }

  /// Mode i, itself a layout. Mode 0 of a leaf is the leaf.
  constexpr Layout mode(int i) const { return Layout(modes_.mode(i), Checked{}); }
  constexpr Layout operator[](int i) const { return mode(i); }

  constexpr std::span<const Mode> leaves() const& { return modes_.leaves(); }
  std::span<const Mode> leaves() && = delete;  // the span would outlive the layout
  constexpr const Tree<Mode>& tree() const { return modes_; }

  constexpr bool operator==(const Layout&) const = default;

  /// The offset at a 1-D index. An index past size() walks on along the last leaf, as in CuTe.
  constexpr std::int64_t operator()(std::int64_t index) const {
    return offset_at(index, 0, modes_.leaf_count());
  }

  /// The offset at a coordinate: an index, one per mode, or nested like the shape. Throws LayoutError if
  /// it is nested deeper than the shape, has another rank, or holds a negative index.
  constexpr std::int64_t operator()(const IntTuple& coordinate) const {
    Cursor mine, theirs;
    return offset_at(coordinate, theirs, mine);
  }

  /// layout(i, j, ..) is layout({i, j, ..}).
  template <std::convertible_to<IntTuple>... Rest>
  constexpr std::int64_t operator()(const IntTuple& first, const IntTuple& second,
                                    const Rest&... rest) const {
    return (*this)(IntTuple{first, second, IntTuple(rest)...});
  }

 private:
  struct Checked {};
  constexpr Layout(const Tree<Mode>& modes, Checked) : modes_(modes) {}

  constexpr void check() const {
    std::int64_t size = 1, last = 0;
    for (const Mode& mode : leaves()) {
      if (mode.extent < 1)
        raise("layout", {shape(), stride()}, "extent {} is below 1", {mode.extent});
      if (mode.stride < 0)
        raise("layout", {shape(), stride()}, "stride {} is below 0", {mode.stride});
      std::int64_t reach = 0;
      if (mul_overflows(size, mode.extent, size) ||
          mul_overflows(mode.extent - 1, mode.stride, reach) || add_overflows(last, reach, last) ||
          last == std::numeric_limits<std::int64_t>::max())
        raise("layout", {shape(), stride()}, "size or cosize does not fit 64 bits");
    }
  }

  constexpr std::int64_t offset_at(std::int64_t index, int begin, int end) const {
    if (index < 0) raise("layout", {*this}, "index {} is below 0", {index});
    std::int64_t offset = 0;
    for (int i = begin; i < end; ++i) {
      const Mode& mode = modes_.leaf(i);
      if (i + 1 == end || index < mode.extent)
        return checked_add(offset, checked_mul(index, mode.stride));
      offset = checked_add(offset, checked_mul(index % mode.extent, mode.stride));
      index /= mode.extent;
    }
    return offset;
  }

  constexpr std::int64_t offset_at(const IntTuple& coordinate, Cursor& theirs, Cursor& mine) const {
    if (coordinate.is_leaf(theirs)) {
      const Cursor end = modes_.next(mine);
      const std::int64_t index = coordinate.leaf(theirs.leaf);
      const std::int64_t offset = offset_at(index, mine.leaf, end.leaf);
      theirs = coordinate.next(theirs);
      mine = end;
      return offset;
    }
    const int modes = coordinate.rank(theirs);
    if (modes_.is_leaf(mine))
      raise("crd2idx", {coordinate, *this}, "the coordinate is nested deeper than the shape");
    if (modes_.rank(mine) != modes)
      raise("crd2idx", {coordinate, *this}, "the coordinate has {} modes where the shape has {}",
            {modes, modes_.rank(mine)});
    theirs = coordinate.first(theirs);
    mine = modes_.first(mine);
    std::int64_t offset = 0;
    for (int i = 0; i < modes; ++i)
      offset = checked_add(offset, offset_at(coordinate, theirs, mine));
    return offset;
  }

  Tree<Mode> modes_;
};

/// The compact layout of `shape`, first mode fastest.
constexpr Layout make_layout(const IntTuple& shape) { return Layout(shape); }

/// The layout shape:stride.
constexpr Layout make_layout(const IntTuple& shape, const IntTuple& stride) {
  return Layout(shape, stride);
}

/// The compact layout of `shape` in the given order. MoYe.jl: GenColMajor, GenRowMajor.
constexpr Layout make_layout(const IntTuple& shape, Major major) {
  return Layout(shape,
                major == Major::kColumn ? compact_column_major(shape) : compact_row_major(shape));
}

/// The layout whose modes are `modes`: make_layout(4:1, (2,3):(4,8)) is (4,(2,3)):(1,(4,8)).
/// Does not accept braced lists. Of one layout it makes a tuple of one mode.
template <std::same_as<Layout>... Layouts>
requires(sizeof...(Layouts) > 0) constexpr Layout make_layout(const Layouts&... modes) {
  TreeBuilder<Mode> builder;
  builder.open(sizeof...(Layouts));
  (builder.add(modes.tree()), ...);
  return Layout(builder.tree());
}

/// The layout whose modes are `modes`, for a number of modes that is known at run time.
constexpr Layout make_layout(std::span<const Layout> modes) {
  TreeBuilder<Mode> builder;
  builder.open(static_cast<int>(modes.size()));
  for (const Layout& mode : modes) builder.add(mode.tree());
  return Layout(builder.tree());
}

// Where a function exists for shapes and for layouts, the latter takes no braces: size({2, 3}) is
// the size of a shape.

/// The members of these names; `size` with `mode` is the size of that mode.
constexpr std::int64_t size(const std::same_as<Layout> auto& layout) { return layout.size(); }
constexpr std::int64_t size(const Layout& layout, int mode) { return layout.mode(mode).size(); }
constexpr std::int64_t cosize(const Layout& layout) { return layout.cosize(); }
constexpr int rank(const std::same_as<Layout> auto& layout) { return layout.rank(); }
constexpr int depth(const std::same_as<Layout> auto& layout) { return layout.depth(); }
constexpr IntTuple shape(const Layout& layout) { return layout.shape(); }
constexpr IntTuple stride(const Layout& layout) { return layout.stride(); }

/// The offset of `coordinate` in shape:stride; the stride may be left out for column-major.
/// Throws LayoutError if shape:stride is not a layout, or if `coordinate` is not a coordinate of it.
/// MoYe.jl: coord_to_index.
constexpr std::int64_t crd2idx(const IntTuple& coordinate, const IntTuple& shape,
                               const IntTuple& stride) {
  return Layout(shape, stride)(coordinate);
}
constexpr std::int64_t crd2idx(const IntTuple& coordinate, const IntTuple& shape) {
  return Layout(shape)(coordinate);
}

namespace detail {
constexpr IntTuple coordinate_at(const IntTuple& index, const Layout& layout) {
  if (!index.is_leaf()) {
    if (layout.is_leaf())
      raise("idx2crd", {index, layout}, "a tuple of indices for a shape that is one extent");
    if (index.rank() != layout.rank())
      raise("idx2crd", {index, layout}, "{} indices for {} modes", {index.rank(), layout.rank()});
    TreeBuilder<std::int64_t> builder;
    builder.open(index.rank());
    for (int i = 0; i < index.rank(); ++i)
      builder.add(coordinate_at(index.mode(i), layout.mode(i)));
    return builder.tree();
  }
  const std::int64_t at = index.leaf(0);
  if (at < 0) raise("idx2crd", {index, layout}, "index {} is below 0", {at});
  return layout.tree().map<std::int64_t>([&](const Mode& mode) -> std::int64_t {
    if (mode.extent == 1) return 0;
    if (mode.stride == 0)
      raise("idx2crd", {index, layout}, "extent {} has stride 0: many coordinates share an offset",
            {mode.extent});
    return at / mode.stride % mode.extent;
  });
}
}  // namespace detail

/// The coordinate, nested like the layout's shape, of the element at `index`: per leaf
/// (index / stride) % extent. Every leaf is reduced, the last one too, so that for a compact layout
/// idx2crd(index, layout) is defined for any index and layout(idx2crd(i, layout)) == i for
/// i < size. `index` may also be a tuple with one index per mode.
/// Throws LayoutError for a stride of 0 on an extent above 1, which has no inverse. MoYe.jl:
/// index_to_coord.
constexpr IntTuple idx2crd(const IntTuple& index, const std::same_as<Layout> auto& layout) {
  return detail::coordinate_at(index, layout);
}
constexpr IntTuple idx2crd(const IntTuple& index, const IntTuple& shape) {
  if (index.is_leaf() || shape.is_leaf()) return detail::coordinate_at(index, Layout(shape));
  if (index.rank() != shape.rank())
    raise("idx2crd", {index, shape}, "{} indices for {} modes", {index.rank(), shape.rank()});
  TreeBuilder<std::int64_t> builder;
  builder.open(index.rank());
  for (int i = 0; i < index.rank(); ++i) builder.add(idx2crd(index.mode(i), shape.mode(i)));
  return builder.tree();
}
constexpr IntTuple idx2crd(const IntTuple& index, const IntTuple& shape, const IntTuple& stride) {
  return detail::coordinate_at(index, Layout(shape, stride));
}

}  // namespace vkmoye
