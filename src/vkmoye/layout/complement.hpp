// SPDX-License-Identifier: MIT
#pragma once
// The offsets that a layout leaves out, between and after its own: layout and complement together reach every
// offset once.
//
//   complement(4:2, 24) = (2,3):(1,8)     4:2 is 0 2 4 6; its copies at 0 1, 8 9, 16 17 fill 0..23

#include <cstdint>

#include "vkmoye/base/overflow.hpp"
#include "vkmoye/layout/coalesce.hpp"
#include "vkmoye/layout/stable_sort.hpp"

namespace vkmoye {

/// The modes of `flat` by rising stride; equal strides keep their order.
constexpr FlatModes sorted_by_stride(FlatModes flat) {
  detail::stable_sort(flat.modes, flat.count, [](const Mode& mode) { return mode.stride; });
  return flat;
}

/// The leaves of `layout` that move: extent above 1, stride above 0.
constexpr FlatModes moving_modes(const Layout& layout) {
  FlatModes result;
  for (const Mode& mode : layout.leaves())
    if (mode.extent > 1 && mode.stride > 0) result.push(mode);
  return result;
}

/// R with these properties, n = size(cotarget):
/// - R's offsets rise strictly, and all sums layout(i) + R(j) of different offsets differ: each
///   copy of the layout's image, moved by R(j), is disjoint from the others;
/// - size(R) * size(filter(layout)) >= n where the strides divide each other; a gap that they do
///   not divide is filled as far as whole copies fit, as in CuTe.
/// Throws LayoutError if two modes of the layout interleave: after sorting, a stride is below
/// the extent times stride before it. Modes of stride 0 are ignored.
/// CuTe: complement. MoYe.jl takes the cosize where the cotarget is left out.
constexpr Layout complement(const Layout& layout, const IntTuple& cotarget) {
  const FlatModes sorted = sorted_by_stride(moving_modes(layout));
  FlatModes result;
  std::int64_t covered = 1;
  for (int i = 0; i < sorted.count; ++i) {
    const Mode& mode = sorted.modes[i];
    if (mode.stride < covered)
      raise("complement", {layout, cotarget},
            "modes {}:{} and {}:{} interleave: stride {} is below {} * {}",
            {sorted.modes[i - 1].extent, sorted.modes[i - 1].stride, mode.extent, mode.stride,
             mode.stride, sorted.modes[i - 1].extent, sorted.modes[i - 1].stride});
    if (mode.stride / covered > 1) result.push({mode.stride / covered, covered});
    if (mul_overflows(mode.extent, mode.stride, covered))
      covered = std::numeric_limits<std::int64_t>::max();
  }
  const std::int64_t rest = ceil_div(size(cotarget), covered);
  if (rest > 1) result.push({rest, covered});
  return coalesce(result.layout());
}

/// The complement within the layout's own cosize.
constexpr Layout complement(const Layout& layout) { return complement(layout, layout.cosize()); }

}  // namespace vkmoye
