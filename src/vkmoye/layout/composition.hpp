// SPDX-License-Identifier: MIT
#pragma once
// R = A o B: first B, then A. R has B's coordinates and A's offsets.
//
//   A = (6,2):(8,2)    B = (4,3):(3,1)    R = ((2,2),3):((24,2),8)
//   R(1) = A(B(1)) = A(3) = 24
//
// A leaf of B becomes one mode for every mode of A it runs through. Not every composition is a
// layout: 6:1 through (4,3):(1,10) visits 0 1 2 3 10 11, which no extents and strides describe.
// CuTe and pycute accept about one in ten random compositions wrongly; here a result is right or an
// error, in two steps:
//
// 1. Per leaf s:d of B against the coalesced flat A, mode by mode: skip a mode
//    that the stride passes whole, take the part of a mode that the stride divides, stay inside the
//    mode when all that is left fits, otherwise refuse.
// 2. Two leaves that are each right can still add up past the end of a mode of A (a carry). If the
//    greatest digits that all leaves together put into each mode stay below its extent, no carry
//    can happen and the result is proven. Otherwise it is compared at every coordinate, up to
//    2^16 of them, and refused beyond that.
//
// Indices past the end of A continue along its last leaf, as when A is evaluated.

#include <cstdint>

#include "vkmoye/base/overflow.hpp"
#include "vkmoye/layout/coalesce.hpp"

namespace vkmoye {

/// The largest result that is compared with its definition coordinate by coordinate.
inline constexpr std::int64_t kExhaustiveSize = std::int64_t{1} << 16;

/// One leaf of B against the coalesced modes of A; see step 1 above.
struct LeafComposition {
  FlatModes out;
  int refused = -1;
  std::int64_t stride_there = 0;  // what was left of the stride and the extent when refused
  std::int64_t extent_there = 0;
};

/// Composes `a` with `leaf`, and adds to `digits` the greatest digit that the leaf puts into each mode of `a`.
constexpr LeafComposition compose_leaf(const FlatModes& a, const Mode& leaf,
                                       std::int64_t (&digits)[kMaxLeaves]) {
  LeafComposition result;
  if (leaf.stride == 0) {
    result.out.push({leaf.extent, 0});
    return result;
  }
  std::int64_t stride = leaf.stride, rest = leaf.extent;
  for (int k = 0;; ++k) {
    const Mode& mode = a.modes[k];
    const bool last = k + 1 == a.count;
    if (!last && stride % mode.extent == 0) {
      stride /= mode.extent;
      continue;
    }
    if (rest == 1) {  // a single coordinate: any stride is right, this one continues A's
      std::int64_t there = 0;
      if (mul_overflows(stride, mode.stride, there)) there = 0;
      result.out.push({1, there});
      return result;
    }
    if (last || rest <= ceil_div(mode.extent, stride)) {
      result.out.push({rest, checked_mul(stride, mode.stride)});
      digits[k] = checked_add(digits[k], checked_mul(rest - 1, stride));
      return result;
    }
    const std::int64_t taken = mode.extent / stride;
    if (mode.extent % stride != 0 || rest % taken != 0) {
      result.refused = k;
      result.stride_there = stride;
      result.extent_there = rest;
      return result;
    }
    result.out.push({taken, stride * mode.stride});
    digits[k] = checked_add(digits[k], (taken - 1) * stride);
    rest /= taken;
    stride = 1;
  }
}

namespace detail {

[[noreturn]] inline void refuse_leaf(const Layout& a, const Layout& b, const FlatModes& flat,
                                     const Mode& leaf, const LeafComposition& refusal) {
  const std::int64_t extent = flat.modes[refusal.refused].extent;
  const std::int64_t stride = refusal.stride_there, count = refusal.extent_there;
  if (extent % stride != 0)
    raise(
        "composition", {a, b},
        "{}:{} has stride {} in mode {} of the left (coalesced): {} does not divide the extent {} "
        "of that mode, and {} elements at stride {} do not fit in it",
        {leaf.extent, leaf.stride, stride, refusal.refused, stride, extent, count, stride});
  raise("composition", {a, b},
        "mode {} of the left (coalesced, extent {}) holds {} elements at stride {}, which does not "
        "divide the {} elements of {}:{} that reach it",
        {refusal.refused, extent, extent / stride, stride, count, leaf.extent, leaf.stride});
}

/// Step 2 by comparison, for the few results where a carry is possible.
constexpr void compare_everywhere(const Layout& a, const Layout& b, const Layout& result,
                                  const FlatModes& flat, int carry) {
  const std::int64_t count = result.size();
  if (count > kExhaustiveSize)
    raise("composition", {a, b},
          "the modes of the right together may pass the end of mode {} (extent {}) of the left, "
          "coalesced, and {} coordinates are too many to compare (limit {})",
          {carry, flat.modes[carry].extent, count, kExhaustiveSize});
  for (std::int64_t i = count - 1; i >= 0; --i) {  // carries show at the far end first
    const std::int64_t defined = a(b(i));
    if (result(i) != defined)
      raise("composition", {a, b},
            "each mode of the right composes alone, but their sum carries across mode {} (extent "
            "{}) of the left, coalesced: A(B({})) is {} while the modes add up to {}",
            {carry, flat.modes[carry].extent, i, defined, result(i)});
  }
}

}  // namespace detail

/// Postcondition: R(c) == a(b(c)) for every coordinate c of b, and b's shape is a coarsening of R's: every
/// coordinate of b is one of R. If b is a leaf, R may have several modes; a tuple keeps its rank (wrap).
/// Throws LayoutError, naming the mode, if the result is not a layout.
/// CuTe, MoYe.jl: composition.
constexpr Layout composition(const Layout& a, const std::same_as<Layout> auto& b) {
  const FlatModes flat = coalesced_modes(a, LastLeaf::kept);
  std::int64_t digits[kMaxLeaves] = {};
  TreeBuilder<Mode> builder;
  const Tree<Mode>& tree = b.tree();
  const Cursor end = tree.next({});
  for (Cursor at; at.node < end.node; ++at.node) {
    if (!tree.is_leaf(at)) {
      builder.open(tree.rank(at));
      continue;
    }
    const Mode& leaf = tree.leaf(at.leaf++);
    const LeafComposition part = compose_leaf(flat, leaf, digits);
    if (part.refused >= 0) detail::refuse_leaf(a, b, flat, leaf, part);
    part.out.add_to(builder);
  }
  const Layout result(builder.tree());
  for (int k = 0; k + 1 < flat.count; ++k) {
    if (digits[k] < flat.modes[k].extent) continue;
    detail::compare_everywhere(a, b, result, flat, k);
    break;
  }
  return result;
}

/// Composes by mode: composition(a, [t0, t1]) has the modes a_0 o t0 and a_1 o t1; `_` keeps a mode.
/// Modes of `a` past the list are dropped, as CuTe C++ does. Postcondition: mode i is composition(a_i, t_i).
/// Throws LayoutError if the list is longer than a's rank.
constexpr Layout composition(const Layout& a, const Tiler& b) {
  if (b.is_null()) return a;
  if (!b.is_list()) return composition(a, b.layout());
  if (b.rank() > a.rank())
    raise("composition", {a, b}, "{} tilers for {} modes", {b.rank(), a.rank()});
  TreeBuilder<Mode> builder;
  builder.open(b.rank());
  for (int i = 0; i < b.rank(); ++i) {
    const Layout mode = composition(a.mode(i), b.entry(i));
    builder.add(mode.tree());
  }
  return Layout(builder.tree());
}

}  // namespace vkmoye
