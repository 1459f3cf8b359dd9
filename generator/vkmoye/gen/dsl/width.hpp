// SPDX-License-Identifier: MIT
#pragma once
// How wide the accesses of a view may be: the proof of tensor/access_width.hpp, applied to the layouts
// of the view.
//
//   from = partition(tile(src (cols,rows), {128, 32}, ..), threads (32,32), values (4,1))
//     width_of(from)       4 elements along col, if cols is a multiple of 4
//   smem = the same of a tile (128,32):(1,129)
//     width_of(smem)       1: runs of a thread's values start at multiples of 129
//
// Alignment that depends on run-time sizes is assumed here; `fits` gives the conditions for it.

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/bounds.hpp"
#include "vkmoye/gen/dsl/view.hpp"
#include "vkmoye/tensor/access_width.hpp"

namespace vkmoye::gen {

/// The values that one iteration of a copy moves: `count` along leaf `leaf` of the value shape.
struct Vector {
  std::uint32_t count = 1;
  std::size_t leaf = 0;
};

// Precondition of the following: those strides of the array's axes after the first that are only known
// at run time are multiples of every width.

/// The width for all values of a view, moved in any order. Registers are single elements, or the
/// vectors as which they were declared.
AccessWidth width_of(const ArrayView& of, std::int64_t max_bytes = kWidestCopy);

/// Whether vectors are proved to be moved as a whole.
bool moves_whole(const ArrayView& of, const Vector& vector);

/// The reason why the layouts do not prove accesses wider than `width`, in words. Empty if they do,
/// so that the reason is not in the layouts.
std::string why_not_wider(const ArrayView& of, std::uint32_t width);

/// The conditions on run-time sizes under which no vector crosses an edge (not needed for
/// Edges::inside), and vectors that are moved as a whole start at multiples of their count.
Conditions fits(const ArrayView& of, const Vector& vector, Edges edges = Edges::skip);

}  // namespace vkmoye::gen
