// SPDX-License-Identifier: MIT
#pragma once
// Describes the bytes of a layout as elements of another width.
//
//   upcast((8,6):(1,8), 2)     (4,6):(1,4)      two f16 become one f16x2
//   downcast((4,6):(1,4), 2)   (8,6):(1,8)      and back
//   recast(L, 16, 32)          upcast by 2
//
// CuTe: upcast, downcast, recast_layout (include/cute/layout.hpp).

#include <cstdint>
#include <numeric>

#include "vkmoye/layout/coalesce.hpp"

namespace vkmoye {

/// Counts offsets in groups of `factor` elements. A leaf whose stride is a multiple of the factor keeps its
/// extent; one whose stride divides it keeps every (factor / stride)-th coordinate, at least one.
/// Postcondition: R(c') is floor(layout(c) / factor), where c' is c with the coordinates of those leaves divided by
/// (factor / stride).
/// Throws LayoutError if a stride neither is a multiple of the factor nor divides it, and if two such
/// leaves overlap inside one group.
constexpr Layout upcast(const Layout& layout, std::int64_t factor) {
  if (factor < 1) raise("upcast", {layout, factor}, "the factor is below 1");
  std::int64_t inside = 0;
  return Layout(layout.tree().map<Mode>([&](const Mode& mode) {
    if (mode.stride == 0) return mode;
    if (mode.stride % factor == 0) return Mode{mode.extent, mode.stride / factor};
    if (mode.extent == 1) return Mode{1, ceil_div(mode.stride, factor)};
    if (factor % mode.stride != 0)
      raise("upcast", {layout, factor}, "stride {} and factor {} do not divide each other",
            {mode.stride, factor});
    const std::int64_t joined = factor / mode.stride;
    inside += ((mode.extent < joined ? mode.extent : joined) - 1) * mode.stride;
    if (inside >= factor)
      raise("upcast", {layout, factor}, "the leaves inside one group overlap: they reach {}",
            {inside});
    return Mode{ceil_div(mode.extent, joined), 1};
  }));
}

/// Counts offsets in parts of an element, `factor` to each. The extent of the leaf of stride 1 and the strides of all
/// other leaves are multiplied by `factor`. Without such a leaf, only the first part of each element is reached.
/// Postcondition: upcast(downcast(layout, n), n) has the layout's offsets.
constexpr Layout downcast(const Layout& layout, std::int64_t factor) {
  if (factor < 1) raise("downcast", {layout, factor}, "the factor is below 1");
  // A stride of 1 on an extent of 1 may be an accident: it is used only if no leaf moves by 1.
  int contiguous = -1;
  for (int i = 0; i < layout.tree().leaf_count(); ++i) {
    const Mode& mode = layout.tree().leaf(i);
    if (mode.stride != 1) continue;
    if (mode.extent > 1) {
      contiguous = i;
      break;
    }
    if (contiguous < 0) contiguous = i;
  }
  int i = 0;
  return Layout(layout.tree().map<Mode>([&](const Mode& mode) {
    return i++ == contiguous ? Mode{checked_mul(mode.extent, factor), 1}
                             : Mode{mode.extent, checked_mul(mode.stride, factor)};
  }));
}

/// Converts offsets in elements of `old_bits` to elements of `new_bits`; widths that do not divide each other go
/// through their greatest common divisor.
constexpr Layout recast(const Layout& layout, std::int64_t old_bits, std::int64_t new_bits) {
  if (old_bits < 1 || new_bits < 1)
    raise("recast", {layout, old_bits, new_bits}, "widths are at least 1 bit");
  const std::int64_t common = std::gcd(old_bits, new_bits);
  const Layout finer = old_bits == common ? layout : downcast(layout, old_bits / common);
  return new_bits == common ? finer : upcast(finer, new_bits / common);
}

}  // namespace vkmoye
