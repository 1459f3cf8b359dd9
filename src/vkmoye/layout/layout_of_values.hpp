// SPDX-License-Identifier: MIT
#pragma once
// The layout that takes given values, where there is one.
//
//   0 32 64 .. 224  4 36 .. 228      16 values: (8,2):(32,4)
//   0 1 2 4                          none: index 3 would have to be 3

#include <cstdint>
#include <optional>

#include "vkmoye/layout/coalesce.hpp"
#include "vkmoye/layout/layout.hpp"

namespace vkmoye {

/// Postcondition: result(i) == value(i) for 0 <= i < extent, coalesced. nullopt if no layout does that: its
/// first value is not 0, one is negative, or they are not steps of modes whose extents multiply to
/// `extent`. `value`: std::int64_t -> std::int64_t.
template <class Values>
constexpr std::optional<Layout> layout_of_values(std::int64_t extent, Values value) {
  FlatModes modes;
  for (std::int64_t covered = 1; covered < extent;) {
    // A coalesced mode ends where its step does: else the next one would continue it.
    const std::int64_t stride = value(covered);
    std::int64_t count = 2;
    while (covered * count < extent && value(covered * count) == stride * count) ++count;
    if (stride < 0 || extent % (covered * count) != 0) return std::nullopt;
    modes.push({count, stride});
    covered *= count;
  }
  const Layout layout = modes.count == 0 ? Layout(extent) : modes.layout();
  for (std::int64_t i = 0; i < extent; ++i) {
    if (layout(i) != value(i)) return std::nullopt;
  }
  return layout;
}

}  // namespace vkmoye
