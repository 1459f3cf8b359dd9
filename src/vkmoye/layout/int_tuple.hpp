// SPDX-License-Identifier: MIT
#pragma once
// Shapes, strides and coordinates: nested tuples of integers.
//
//   IntTuple shape = {{2, 4}, 8};      ((2,4),8), size 64
//   IntTuple column = {_, 3};          (_,3): every row of column 3
//
// `_` stands for "all of this mode" in a coordinate that slices, and for "leave this mode alone"
// in a tiler. It is not an extent: shapes and strides refuse it as they refuse any negative number.

#include <cstdint>
#include <limits>

#include "vkmoye/layout/checked.hpp"
#include "vkmoye/layout/tree.hpp"

namespace vkmoye {

inline constexpr std::int64_t _ = std::numeric_limits<std::int64_t>::min();

/// The number of coordinates in `shape`: the product of its leaves. () has one.
/// Throws LayoutError for an extent below 1 and for a product beyond 64 bits.
constexpr std::int64_t size(const IntTuple& shape) {
  std::int64_t result = 1;
  for (std::int64_t extent : shape.leaves()) {
    if (extent < 1) raise("size", {shape}, "extent {} is below 1", {extent});
    result = checked_mul(result, extent);
  }
  return result;
}

/// The number of modes (1 of a leaf), and how deeply they are nested (0 of a leaf).
constexpr int rank(const IntTuple& tuple) { return tuple.rank(); }
constexpr int depth(const IntTuple& tuple) { return tuple.depth(); }

/// The tuple of the sizes of the modes: ((2,4),8) -> (8,8). A leaf stays a leaf.
constexpr IntTuple product_each(const IntTuple& shape) {
  if (shape.is_leaf()) return shape;
  TreeBuilder<std::int64_t> builder;
  builder.open(shape.rank());
  for (int i = 0; i < shape.rank(); ++i) builder.leaf(size(shape.mode(i)));
  return builder.tree();
}

/// The strides of the compact layout of `shape` whose first leaf varies fastest:
/// ((2,4),8) -> ((1,2),8).
constexpr IntTuple compact_column_major(const IntTuple& shape) {
  static_cast<void>(size(shape));
  std::int64_t stride = 1;
  return shape.map<std::int64_t>([&](std::int64_t extent) {
    const std::int64_t mine = stride;
    stride *= extent;
    return mine;
  });
}

/// The strides of the compact layout of `shape` whose last leaf varies fastest: ((2,4),8) -> ((32,8),1).
constexpr IntTuple compact_row_major(const IntTuple& shape) {
  std::int64_t stride = size(shape);
  return shape.map<std::int64_t>([&](std::int64_t extent) { return stride /= extent; });
}

}  // namespace vkmoye
