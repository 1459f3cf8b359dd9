// SPDX-License-Identifier: MIT
#pragma once
// The one way to move values between two views, as statements.
//
// In rounds, the default: loops over the values, each round moves one vector or one element.
//
//   if (src_col < cols)                      what does not change with v is asked outside the loops
//     for v1 in 0..3
//       if (src_row0 + 8 * v1 < rows)
//         tile[tile_at + 264 * v1] = src[src_col + cols * (src_row0 + 8 * v1)]
//
// Loads first: no loop, all loads and then all stores, each as wide as its layout proves. Where the
// two sides run along different modes, the elements change places in registers between.
//
//   a thread's values (8,2): src runs along mode 0, the shared tile along mode 1 first
//     loads   2 vectors of 8 f16      one row each
//     stores  4 vectors of 4 f16      two columns each, (row 0, row 1) (row 0, row 1)
//
// Either way elements are converted to the type of `to`.

#include <cstdint>
#include <utility>
#include <vector>

#include "vkmoye/gen/dsl/bounds.hpp"
#include "vkmoye/gen/dsl/view.hpp"
#include "vkmoye/gen/dsl/width.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// Values of a thread in a copy that loads first, at most: they lie in registers.
inline constexpr std::int64_t kMostAtOnce = 256;

struct CopyOptions {
  Edges edges = Edges::skip;

  // In rounds: what a round moves, as one vector on each side where the layouts prove that its
  // elements are neighbours, element by element on the other. Where sizes decide whether vectors
  // fit, there is a path of single elements beside, unless the author has asked `fits` before.
  Vector vector = {};
  bool vectors_fit = false;
  /// The elements of a vector are read one by one, wherever they begin; each is asked for by itself
  /// whether it is inside.
  bool from_singly = false;

  // Loads first, and the widest access on each side. Where something may be outside a buffer, it is
  // touched element by element, but where all strides and the extent along axis 0 are numbers, in
  // vectors that divide them.
  bool loads_first = false;
  std::uint32_t from_bytes = kWidestCopy, to_bytes = kWidestCopy;
};

/// to(v) = from(v) for each value v. In rounds, coordinates that do not change with v are computed,
/// and checked against their extents, outside the loops; loops over registers are unrolled.
/// Preconditions: the views look at `from_array` and `to_array`.
/// Throws LayoutError, naming both, where
/// - the modes of their shapes have different sizes; in rounds, where their leaves cut each other;
/// - vector.count is no width of a type in memory, or does not divide its leaf;
/// - more than kMostAtOnce values load first, or values outside a buffer would have to be skipped
///   before they are loaded; vectors are to be clamped.
ir::Block copy_statements(const View& from, const ir::Array& from_array, const View& to,
                          const ir::Array& to_array, const CopyOptions& options = {});

/// The same for several pairs of views of these two arrays: all loads, then all stores.
/// Precondition: there is a pair, and `options` loads first.
ir::Block copy_statements(const std::vector<std::pair<View, View>>& pairs,
                          const ir::Array& from_array, const ir::Array& to_array,
                          const CopyOptions& options);

/// to(v) = value for each value v; values outside a buffer are skipped.
/// Precondition: `to` looks at `to_array`.
ir::Block fill_statements(const View& to, const ir::Array& to_array, std::uint32_t value);

}  // namespace vkmoye::gen
