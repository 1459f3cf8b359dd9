// SPDX-License-Identifier: MIT
#pragma once
// Compact layouts with a chosen order of modes.
//
//   make_ordered_layout((2,3,4), (2,0,1))     (2,3,4):(12,1,3)    mode 1 is fastest, then 2, then 0
//   make_layout_like((8,4):(100,7))           (8,4):(4,1)         same order, no gaps
//   make_fragment_like((2,8,4):(64,1,8))      (2,8,4):(1,2,16)    mode 0 first: a vector stays one
//   domain_distribute((6,4), 8)               (2,4):(1,6)         8 elements spread over a (6,4)
//
// CuTe: make_ordered_layout, make_layout_like, make_fragment_like, domain_distribute
// (include/cute/layout.hpp).

#include <cstdint>
#include <numeric>

#include "vkmoye/layout/coalesce.hpp"
#include "vkmoye/layout/stable_sort.hpp"

namespace vkmoye {

namespace detail {

/// What compact_by_key does with leaves of stride 0.
enum class ZeroStrides { replaced, kept };

/// Compact strides given to the leaves by rising key, equal keys from left to right.
constexpr Layout compact_by_key(const Tree<Mode>& modes, const std::int64_t (&keys)[kMaxLeaves],
                                ZeroStrides zero_strides) {
  const int count = modes.leaf_count();
  int order[kMaxLeaves] = {};
  for (int i = 0; i < count; ++i) order[i] = i;
  stable_sort(order, count, [&](int i) { return keys[i]; });
  std::int64_t strides[kMaxLeaves] = {};
  std::int64_t stride = 1;
  for (int k = 0; k < count; ++k) {
    const Mode& mode = modes.leaf(order[k]);
    if (zero_strides == ZeroStrides::kept && mode.stride == 0) continue;
    strides[order[k]] = stride;
    stride = checked_mul(stride, mode.extent);
  }
  int i = 0;
  return Layout(modes.map<Mode>([&](const Mode& mode) { return Mode{mode.extent, strides[i++]}; }));
}

/// Gives every leaf of `shape` the number that `order` has for it or for the mode around it.
constexpr void spread_order(const IntTuple& order, Cursor& theirs, const Tree<Mode>& modes,
                            Cursor& mine, std::int64_t (&keys)[kMaxLeaves], const Layout& layout,
                            const IntTuple& whole) {
  if (order.is_leaf(theirs)) {
    const Cursor end = modes.next(mine);
    for (int i = mine.leaf; i < end.leaf; ++i) keys[i] = order.leaf(theirs.leaf);
    mine = end;
    theirs = order.next(theirs);
    return;
  }
  const int rank = order.rank(theirs);
  if (modes.is_leaf(mine) || modes.rank(mine) != rank)
    raise("make_ordered_layout", {layout.shape(), whole}, "the order is not nested like the shape");
  theirs = order.first(theirs);
  mine = modes.first(mine);
  for (int i = 0; i < rank; ++i) spread_order(order, theirs, modes, mine, keys, layout, whole);
}

}  // namespace detail

/// The compact layout of `shape` where smaller numbers of `order` vary faster; equal ones from left
/// to right. The order may be coarser than the shape: one number for a nested mode.
constexpr Layout make_ordered_layout(const IntTuple& shape, const IntTuple& order) {
  const Layout layout(shape);
  std::int64_t keys[kMaxLeaves] = {};
  Cursor theirs, mine;
  detail::spread_order(order, theirs, layout.tree(), mine, keys, layout, order);
  return detail::compact_by_key(layout.tree(), keys, detail::ZeroStrides::replaced);
}

/// The compact layout with the order of the strides of `layout`. Leaves of stride 0 keep it.
/// Postcondition: same shape; injective on the other leaves; cosize is size(filter(layout)).
constexpr Layout make_layout_like(const Layout& layout) {
  std::int64_t keys[kMaxLeaves] = {};
  for (int i = 0; i < layout.tree().leaf_count(); ++i) keys[i] = layout.tree().leaf(i).stride;
  return detail::compact_by_key(layout.tree(), keys, detail::ZeroStrides::kept);
}

/// Orders strides as make_layout_like does, but mode 0 comes first and is column-major, so that the values of one atom
/// or vector are neighbours in the fragment.
constexpr Layout make_fragment_like(const Layout& layout) {
  std::int64_t keys[kMaxLeaves] = {};
  const int first = layout.is_leaf() || layout.rank() == 0 ? 0 : layout.mode(0).tree().leaf_count();
  for (int i = first; i < layout.tree().leaf_count(); ++i) keys[i] = layout.tree().leaf(i).stride;
  for (int i = 0; i < first; ++i) keys[i] = -1;
  return detail::compact_by_key(layout.tree(), keys, detail::ZeroStrides::kept);
}

/// `count` elements spread over `shape`, from the first mode on: mode i gives the greatest common
/// divisor of its extent and what is left. Postcondition: size is count; all offsets are indices into shape,
/// distinct and rising. Throws LayoutError if the extents cannot make up `count`.
constexpr Layout domain_distribute(const IntTuple& shape, std::int64_t count) {
  if (count < 1) raise("domain_distribute", {shape, count}, "the count is below 1");
  FlatModes result;
  std::int64_t stride = 1, rest = count;
  static_cast<void>(size(shape));
  for (std::int64_t extent : shape.leaves()) {
    const std::int64_t part = std::gcd(extent, rest);
    result.push({part, stride});
    rest /= part;
    stride *= extent;
  }
  if (rest != 1)
    raise("domain_distribute", {shape, count}, "no extent can take the remaining factor {}",
          {rest});
  FlatModes moving;
  for (const Mode& mode : result)
    if (mode.extent > 1) moving.push(mode);
  return coalesce(moving.layout());
}

}  // namespace vkmoye
