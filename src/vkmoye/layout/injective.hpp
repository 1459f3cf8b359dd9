// SPDX-License-Identifier: MIT
#pragma once
// Do two coordinates share an offset? Storage must not; reading may (stride 0 is a broadcast).
//
//   (32,32):(1,33)   injective: rows of 33, the last element of each unused
//   (32,32):(1,31)   (31,0) and (0,1) are both at 31: not usable for storage
//
// Two coordinates c != c' collide when their difference e, |e_k| < extent_k, has sum e_k d_k = 0.
// The search takes the largest stride first, where hardly any e_k can still be balanced by the
// smaller strides; it needs no memory and is exact.

#include <cstdint>
#include <numeric>
#include <optional>

#include "vkmoye/layout/complement.hpp"

namespace vkmoye {

/// Two different coordinates, nested like the layout's shape, at one offset.
struct Collision {
  IntTuple first;
  IntTuple second;
  std::int64_t offset = 0;
};

namespace detail {

struct CollisionSearch {
  FlatModes modes;                        // by falling stride
  std::int64_t reach[kMaxLeaves + 1]{};   // what modes k.. can sum to at most
  std::int64_t common[kMaxLeaves + 1]{};  // greatest common divisor of the strides of modes k..
  std::int64_t chosen[kMaxLeaves]{};
  std::int64_t steps = 0;

  constexpr bool run(int k, std::int64_t sum, bool any, const Layout& layout) {
    if (++steps > (std::int64_t{1} << 22))
      raise("is_injective", {layout}, "undecided after {} steps", {steps - 1});
    if (k == modes.count) return any && sum == 0;
    if (sum % common[k] != 0) return false;
    const Mode& mode = modes.modes[k];
    // |sum + e * stride| <= reach[k + 1]
    const std::int64_t slack = reach[k + 1];
    std::int64_t low = -floor_div(sum + slack, mode.stride);
    std::int64_t high = floor_div(slack - sum, mode.stride);
    if (low < 1 - mode.extent) low = 1 - mode.extent;
    if (high > mode.extent - 1) high = mode.extent - 1;
    if (!any && low < 0) low = 0;  // e and -e are the same collision
    for (std::int64_t e = low; e <= high; ++e) {
      chosen[k] = e;
      if (run(k + 1, sum + e * mode.stride, any || e != 0, layout)) return true;
    }
    return false;
  }

  static constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
  }
};

}  // namespace detail

/// Two coordinates that share an offset, or nullopt if the layout is injective.
/// Throws LayoutError if a layout of many irregular strides is still undecided after 2^22 steps.
constexpr std::optional<Collision> find_collision(const Layout& layout) {
  const auto leaves = layout.leaves();
  std::int64_t difference[kMaxLeaves] = {};
  bool found = false;
  for (std::size_t i = 0; i < leaves.size() && !found; ++i) {
    if (leaves[i].extent > 1 && leaves[i].stride == 0) {
      difference[i] = 1;
      found = true;
    }
  }
  if (!found) {
    detail::CollisionSearch search;
    const FlatModes rising = sorted_by_stride(moving_modes(layout));
    for (int k = rising.count - 1; k >= 0; --k) search.modes.push(rising.modes[k]);
    bool nested = true;  // each stride above all that is below it together: injective at once
    for (int k = rising.count - 1; k >= 0; --k) {
      const Mode& mode = search.modes.modes[k];
      nested = nested && mode.stride > search.reach[k + 1];
      search.reach[k] = search.reach[k + 1] + (mode.extent - 1) * mode.stride;
      search.common[k] = std::gcd(search.common[k + 1], mode.stride);
    }
    if (nested || !search.run(0, 0, false, layout)) return std::nullopt;
    for (int k = 0; k < search.modes.count; ++k) {
      // Equal modes are interchangeable: give each its own leaf.
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        if (leaves[i] == search.modes.modes[k] && difference[i] == 0) {
          difference[i] = search.chosen[k];
          break;
        }
      }
    }
  }
  Collision result;
  int i = 0, j = 0;
  result.first = layout.tree().map<std::int64_t>([&](const Mode&) {
    const std::int64_t e = difference[i++];
    return e > 0 ? e : std::int64_t{0};
  });
  result.second = layout.tree().map<std::int64_t>([&](const Mode&) {
    const std::int64_t e = difference[j++];
    return e < 0 ? -e : std::int64_t{0};
  });
  result.offset = layout(result.first);
  return result;
}

/// Whether different coordinates have different offsets.
constexpr bool is_injective(const Layout& layout) { return !find_collision(layout).has_value(); }

}  // namespace vkmoye
