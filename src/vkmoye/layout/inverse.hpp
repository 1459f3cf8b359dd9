// SPDX-License-Identifier: MIT
#pragma once
// From offsets back to coordinates.
//
//   L = (4,3):(3,1)      right_inverse(L) = (3,4):(4,1)      L(R(i)) = i      which index is at offset i
//   L = (4,4):(1,5)      left_inverse(L)  = (5,4):(1,4)      R(L(i)) = i      padding included
//   L = (2,4):(1,0)      nullspace(L)     = 4:2              L(R(i)) = 0      what does not matter
//
// The inverses are functions to 1-D indices of L. CuTe: right_inverse, left_inverse, nullspace.

#include <cstdint>

#include "vkmoye/base/overflow.hpp"
#include "vkmoye/layout/complement.hpp"

namespace vkmoye {

namespace detail {

/// A moving mode of a coalesced layout with the 1-D index that one step along it makes.
struct InverseMode {
  Mode mode;
  std::int64_t step = 1;
};

struct InverseModes {
  InverseMode modes[kMaxLeaves];
  int count = 0;
};

/// The modes of `layout` by rising stride; modes of equal stride keep their order.
constexpr InverseModes inverse_modes(const Layout& layout) {
  InverseModes result;
  std::int64_t step = 1;
  for (const Mode& mode : coalesced_modes(layout)) {
    if (mode.stride > 0) result.modes[result.count++] = {mode, step};
    step *= mode.extent;
  }
  stable_sort(result.modes, result.count, [](const InverseMode& one) { return one.mode.stride; });
  return result;
}

}  // namespace detail

/// Postcondition: layout(R(i)) == i for i < size(R); R covers the longest run of offsets from 0 that whole
/// modes of the layout make one after the other. Modes that do not continue the run, and modes of
/// stride 0, are passed over (as CuTe C++; pycute stops there). 1:0 if no mode has stride 1.
constexpr Layout right_inverse(const Layout& layout) {
  FlatModes result;
  std::int64_t covered = 1;
  const detail::InverseModes sorted = detail::inverse_modes(layout);
  for (int i = 0; i < sorted.count; ++i) {
    const auto& [mode, step] = sorted.modes[i];
    if (mode.stride != covered) continue;
    result.push({mode.extent, step});
    if (mul_overflows(mode.extent, mode.stride, covered)) break;
  }
  return coalesce(result.layout());
}

/// Whether `layout` numbers its elements: every offset from 0 to size - 1 is taken once.
constexpr bool is_compact(const Layout& layout) {
  return right_inverse(layout).size() == layout.size();
}

/// Postcondition: layout(R(layout(i))) == layout(i) for every i; for an injective layout R(layout(i)) == i.
/// Undefined for offsets outside the layout.
/// Throws LayoutError if no such layout exists: modes interleave, or a stride is a multiple neither
/// of what the modes below cover nor of the stride below.
constexpr Layout left_inverse(const Layout& layout) {
  FlatModes result;
  const detail::InverseModes sorted = detail::inverse_modes(layout);
  std::int64_t covered = 1;             // extent * stride of the mode below
  std::int64_t unused = layout.size();  // the first index after those of the layout
  for (int i = 0; i < sorted.count; ++i) {
    const auto& [mode, step] = sorted.modes[i];
    if (mode.stride < covered)
      raise("left_inverse", {layout}, "stride {} lies inside the span {} of the modes below it",
            {mode.stride, covered});
    if (mode.stride % covered == 0) {
      const std::int64_t gap = mode.stride / covered;
      if (gap > 1) {
        result.push({gap, unused});
        if (mul_overflows(unused, gap, unused)) unused = 0;
      }
    } else {  // padding: offsets up to the next stride still belong to the mode below
      const std::int64_t below = sorted.modes[i - 1].mode.stride;
      if (mode.stride % below != 0)
        raise("left_inverse", {layout}, "stride {} is a multiple neither of {} nor of stride {}",
              {mode.stride, covered, below});
      result.modes[result.count - 1].extent = mode.stride / below;
    }
    result.push({mode.extent, step});
    if (mul_overflows(mode.extent, mode.stride, covered))
      covered = std::numeric_limits<std::int64_t>::max();
  }
  return coalesce(result.layout());
}

/// The indices that stride 0 sends to offset 0.
/// Postcondition: layout(R(i)) == 0 for i < size(R); size(R) * size(filter(layout)) == size(layout).
constexpr Layout nullspace(const Layout& layout) {
  FlatModes result;
  std::int64_t step = 1;
  for (const Mode& mode : layout.leaves()) {
    if (mode.stride == 0 && mode.extent > 1) result.push({mode.extent, step});
    step *= mode.extent;
  }
  return coalesce(result.layout());
}

}  // namespace vkmoye
