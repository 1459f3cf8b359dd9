// SPDX-License-Identifier: MIT
#pragma once
// What must hold of groups and sizes so that a view stays within its buffer.
//
//   from = tile(src (cols,rows), {64, 32}, {block_x, block_y})
//     inside         64 * block_x + 63 < cols, 32 * block_y + 31 < rows
//     begins_inside  64 * block_x < cols,      32 * block_y < rows
//     aligned to 4   cols % 4 == 0             (the step from row to row of a compact array)
//
// Builder::branch chooses between what may be done where conditions hold and what is always right.
// Edges says what a copy does with values outside.

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "vkmoye/gen/dsl/view.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// How a copy treats values that lie outside their buffers.
enum class Edges : std::uint8_t {
  inside,  // there are none: the author has asked `inside`
  skip,    // what is outside on either side is not moved
  zero,    // outside `from` it is 0; outside `to` it is not stored
  clamp,   // outside `from` it is the last element inside; outside `to` it is not stored
};

/// Truth values that must all hold; none: always.
using Conditions = std::vector<Expr>;

/// All of them, each once.
Conditions all_of(std::initializer_list<Conditions> parts);

/// The truth value that all hold. Precondition: there is one at least.
Expr conjunction(const Conditions& conditions);

// Preconditions: `view` looks at `array`, a buffer.

/// No value of `view` hangs over an edge.
Conditions inside(const View& view, const ir::Array& array);

/// The first value of `view` is inside: a tile does not lie outside whole.
Conditions begins_inside(const View& view, const ir::Array& array);

/// Whatever begins at a multiple of `elements` along axis 0 does so in memory: the steps of further
/// axes are multiples as well.
Conditions aligned(const View& view, const ir::Array& array, std::uint32_t elements);

}  // namespace vkmoye::gen
