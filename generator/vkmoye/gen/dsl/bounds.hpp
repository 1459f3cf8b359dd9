// SPDX-License-Identifier: MIT
#pragma once
// The conditions on block coordinates and sizes under which a view stays within its buffer.
//
//   from = tile(src (cols,rows), {64, 32}, {block_x, block_y})
//     inside         64 * block_x + 63 < cols, 32 * block_y + 31 < rows
//     begins_inside  64 * block_x < cols,      32 * block_y < rows
//     aligned to 4   cols % 4 == 0             (the step from row to row of a compact array)
//
// Builder::branch chooses between a path that needs the conditions and one that is always correct.
// Edges selects what a copy does with values outside the buffer.

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "vkmoye/gen/dsl/view.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// How a copy treats values that lie outside their buffers.
enum class Edges : std::uint8_t {
  inside,  // there are none: the caller has checked `inside`
  skip,    // a value outside either side is not moved
  zero,    // a value outside `from` is 0; outside `to` it is not stored
  clamp,   // a value outside `from` is the last element inside; outside `to` it is not stored
};

/// Conditions that must all hold. If there are none, they always hold.
using Conditions = std::vector<Expr>;

/// The conditions of all `parts`, without duplicates.
Conditions all_of(std::initializer_list<Conditions> parts);

/// The logical and of `conditions`. Precondition: there is at least one.
Expr conjunction(const Conditions& conditions);

/// Whether every value of `coordinate` is below `end`, a number.
bool is_below(const Expr& coordinate, const Expr& end);

/// Adds `coordinate` < `end`, unless it always holds.
void require_below(Conditions& conditions, const Expr& coordinate, const Expr& end);

/// Where coordinates along axis `axis` of a view end.
Expr end_of(const ArrayView& of, std::size_t axis);

// Precondition of the following: a view of a buffer.

/// No value of the view lies past an edge.
Conditions inside(const ArrayView& of);

/// The first value of the view is inside: the tile is not entirely outside.
Conditions begins_inside(const ArrayView& of);

/// If a coordinate along axis 0 is a multiple of `elements`, so is the offset in memory: the strides of the
/// other axes are also multiples.
Conditions aligned(const ArrayView& of, std::uint32_t elements);

}  // namespace vkmoye::gen
