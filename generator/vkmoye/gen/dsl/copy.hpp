// SPDX-License-Identifier: MIT
#pragma once
// Statements that copy the values of one view to another.
//
// In loops, the default: loops over the values; each iteration moves one vector or one element.
//
//   if (src_col < cols)                      conditions that do not depend on v are outside the loops
//     for v1 in 0..3
//       if (src_row0 + 8 * v1 < rows)
//         tile[tile_at + 264 * v1] = src[src_col + cols * (src_row0 + 8 * v1)]
//
// Loads first: no loop, all loads and then all stores, each as wide as its layout proves. Where the
// two sides are contiguous along different modes, the elements are rearranged in registers between.
//
//   a thread's values (8,2): src is contiguous along mode 0, the shared tile along mode 1 first
//     loads   2 vectors of 8 f16      one row each
//     stores  4 vectors of 4 f16      two columns each, (row 0, row 1) (row 0, row 1)
//
// Both convert elements to the type of `to`. If some accesses to a shared array are to single elements, its vector
// accesses have at most 4 elements.

#include <cstdint>
#include <utility>
#include <vector>

#include "vkmoye/gen/dsl/bounds.hpp"
#include "vkmoye/gen/dsl/view.hpp"
#include "vkmoye/gen/dsl/width.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// The maximum number of values of a thread in a copy that loads first: they are held in registers.
inline constexpr std::int64_t kMaxValuesAtOnce = 256;

/// How a copy is written; see above.
struct CopyOptions {
  Edges edges = Edges::skip;

  // The vector that an iteration of a loop moves. A side whose layout proves that its elements are
  // contiguous moves it as a whole, else element by element. If it depends on run-time sizes whether
  // vectors fit, the copy also contains a path of single elements, unless `vectors_fit`: the caller
  // has checked `fits`.
  Vector vector = {};
  bool vectors_fit = false;
  /// Reads the elements of a vector one by one, whatever their alignment, with a bounds check for each.
  bool one_by_one = false;

  // Loads first, with the widest access on each side. A side that may be outside its buffer is accessed
  // element by element; in vectors if all its strides and its extent along axis 0 are numbers that they divide, or
  // with `vectors_fit`. With Edges::skip, a load outside reads the nearest element, or vector, inside, which is not
  // stored; so the buffer must have one.
  bool loads_first = false;
  std::uint32_t from_bytes = kWidestCopy, to_bytes = kWidestCopy;
};

/// to(v) = from(v) for each value v. In loops, coordinates that do not depend on v are computed, and
/// checked against their extents, outside the loops; loops over registers are unrolled.
/// Single values may have any shapes of size 1.
/// Throws LayoutError, naming both views, if
/// - the modes of their shapes have different sizes or, in loops, no common refinement;
/// - vector.count is not a valid width of a type in memory, or does not divide its leaf, or vectors
///   would have to be clamped;
/// - with `loads_first`: there are more than kMaxValuesAtOnce values.
ir::Titled copy_statements(const ArrayView& from, const ArrayView& to,
                           const CopyOptions& options = {});

/// Copies several pairs of views of two arrays: first all loads, then all stores.
/// Preconditions: `pairs` is not empty, options.loads_first is set.
ir::Titled copy_statements(const std::vector<std::pair<ArrayView, ArrayView>>& pairs,
                           const CopyOptions& options);

}  // namespace vkmoye::gen
