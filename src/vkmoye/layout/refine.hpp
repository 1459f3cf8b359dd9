// SPDX-License-Identifier: MIT
#pragma once
// Several layouts of one size cut until they have the same leaves.
//
//   (4,6):(1,8) and ((2,2),6):((3,1),12)     (2,2,6):(1,2,8) and (2,2,6):(3,1,12)
//   12:1 and (4,3):(0,1)                     (4,3):(1,4) and (4,3):(0,1)
//   (4,3) and (6,2)                          none: 4 and 6 cut each other
//
// Then one loop nest walks through all of them, each with a stride of its own.

#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "vkmoye/layout/coalesce.hpp"
#include "vkmoye/layout/modes.hpp"

namespace vkmoye {

/// Postcondition: flat layouts of one shape without extents of 1 (rank 1 at least), result[i] with the offsets
/// of layouts[i] at every 1-D index. nullopt if the sizes differ, or leaves cut each other.
/// Precondition: there is one at least.
constexpr std::optional<std::vector<Layout>> common_refinement(std::span<const Layout> layouts) {
  struct Rest {
    Mode mode{1, 0};  // what is left of the leaf before
    int next = 0;
  };
  std::vector<Rest> rests(layouts.size());
  std::vector<FlatModes> out(layouts.size());
  while (true) {
    std::int64_t common = 0, min_extent = 0, max_extent = 1;
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      Rest& rest = rests[i];
      const Tree<Mode>& tree = layouts[i].tree();
      while (rest.mode.extent == 1 && rest.next < tree.leaf_count()) {
        rest.mode = tree.leaf(rest.next++);
      }
      common = std::gcd(common, rest.mode.extent);
      min_extent = min_extent == 0 || rest.mode.extent < min_extent ? rest.mode.extent : min_extent;
      max_extent = rest.mode.extent > max_extent ? rest.mode.extent : max_extent;
    }
    if (max_extent == 1) break;
    if (common != min_extent || common == 1) return std::nullopt;
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      Mode& rest = rests[i].mode;
      out[i].push({common, rest.stride});
      rest = {rest.extent / common, rest.extent == common ? 0 : checked_mul(rest.stride, common)};
    }
  }
  std::vector<Layout> result;
  for (FlatModes& modes : out) {
    if (modes.count == 0) modes.push({1, 0});
    result.push_back(wrap(modes.layout()));
  }
  return result;
}

}  // namespace vkmoye
