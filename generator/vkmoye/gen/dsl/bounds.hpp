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

// Precondition of the following: `view` is a view of `array`, a buffer.

/// Where coordinates along axis `axis` of `view` end.
Expr end_of(const View& view, const ir::Array& array, std::size_t axis);

/// No value of `view` lies past an edge.
Conditions inside(const View& view, const ir::Array& array);

/// The first value of `view` is inside: the tile is not entirely outside.
Conditions begins_inside(const View& view, const ir::Array& array);

/// If a coordinate along axis 0 is a multiple of `elements`, so is the offset in memory: the strides of the
/// other axes are also multiples.
Conditions aligned(const View& view, const ir::Array& array, std::uint32_t elements);

}  // namespace vkmoye::gen
