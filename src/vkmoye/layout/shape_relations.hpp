// SPDX-License-Identifier: MIT
#pragma once
// When one shape may stand for another.
//
//   congruent         ((2,2),3) and ((5,1),8)      the same nesting
//   weakly_congruent  (4,3)     and ((2,2),3)      the same nesting, as deep as the first has it
//   compatible        (4,3)     and ((2,2),3)      and of equal size there: every coordinate of the
//                                                  first is one of the second
//   evenly_divides    (8,6)     by  (4,3)          every tile is whole
//
// compatible and weakly_congruent are partial orders. CuTe: include/cute/int_tuple.hpp.

#include "vkmoye/layout/int_tuple.hpp"

namespace vkmoye {

/// Whether both have the same nesting, whatever the numbers.
constexpr bool congruent(const IntTuple& a, const IntTuple& b) { return a.congruent_to(b); }

/// Whether `b` is nested like `a`, or deeper where `a` has a leaf.
constexpr bool weakly_congruent(const IntTuple& a, const IntTuple& b) {
  if (a.is_leaf()) return true;
  if (b.is_leaf() || a.rank() != b.rank()) return false;
  for (int i = 0; i < a.rank(); ++i)
    if (!weakly_congruent(a.mode(i), b.mode(i))) return false;
  return true;
}

/// Whether every leaf of `a` is the size of what `b` has there.
constexpr bool compatible(const IntTuple& a, const IntTuple& b) {
  if (a.is_leaf()) return a.leaf(0) == size(b);
  if (b.is_leaf() || a.rank() != b.rank()) return false;
  for (int i = 0; i < a.rank(); ++i)
    if (!compatible(a.mode(i), b.mode(i))) return false;
  return true;
}

/// Whether tiles of `tiler` cut `shape` without a rest; modes past the tiler are not cut.
constexpr bool evenly_divides(const IntTuple& shape, const IntTuple& tiler) {
  if (tiler.is_leaf()) return size(shape) % size(tiler) == 0;
  if (shape.is_leaf() || tiler.rank() > shape.rank()) return false;
  for (int i = 0; i < tiler.rank(); ++i)
    if (!evenly_divides(shape.mode(i), tiler.mode(i))) return false;
  return true;
}

/// Predication: whether every component of `coordinate` is below that of `bound`. The
/// comparison is strict and per component, as in CuTe C++. MoYe.jl's elem_less compares
/// lexicographically, so it accepts (0,9) for the bound (1,5). Throws LayoutError if they are nested
/// differently.
constexpr bool elem_less(const IntTuple& coordinate, const IntTuple& bound) {
  if (!coordinate.congruent_to(bound))
    raise("elem_less", {coordinate, bound}, "they are nested differently");
  for (int i = 0; i < coordinate.leaf_count(); ++i)
    if (coordinate.leaf(i) >= bound.leaf(i)) return false;
  return true;
}

}  // namespace vkmoye
