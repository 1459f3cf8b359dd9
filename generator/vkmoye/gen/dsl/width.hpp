// SPDX-License-Identifier: MIT
#pragma once
// How wide the accesses of a view may be: the proof of tensor/access_width.hpp, asked of the layouts
// that a view keeps.
//
//   from = partition(tile(src (cols,rows), {128, 32}, ..), threads (32,32), values (4,1))
//     width_of(from)       4 elements along col, if cols is a multiple of 4
//   smem = the same of a tile (128,32):(1,129)
//     width_of(smem)       1: runs of a thread's values begin at multiples of 129
//
// What is only known at run time is assumed here and asked for by `fits`.

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/bounds.hpp"
#include "vkmoye/gen/dsl/view.hpp"
#include "vkmoye/tensor/access_width.hpp"

namespace vkmoye::gen {

/// Neighbouring values that one round of a copy moves: `count` along leaf `leaf` of the value shape.
struct Vector {
  std::uint32_t count = 1;
  std::size_t leaf = 0;
};

// Preconditions: `view` looks at `array`; steps of its further axes that are known at run time only
// are multiples of every width.

/// Of all values of `view` at once, in any order. Registers are single elements, or the
/// vectors that they were declared as.
AccessWidth width_of(const View& view, const ir::Array& array,
                     std::int64_t most_bytes = kWidestCopy);

/// Of one vector at a time.
AccessWidth width_of(const View& view, const ir::Array& array, const Vector& vector);

/// Why no access to the values of `view` takes twice as many as the layouts prove, in words: empty
/// where the layouts allow more than `width` and something else forbids it.
std::string why_not_wider(const View& view, const ir::Array& array, std::uint32_t width);

/// What must hold of run-time sizes so that vectors never lie across an edge, unless `edges` says
/// that nothing does, and begin at multiples of their count where they are moved at once.
Conditions fits(const View& view, const ir::Array& array, const Vector& vector,
                Edges edges = Edges::skip);

}  // namespace vkmoye::gen
