// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/fragment_lanes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

// One axis of the order, split.
struct Divided {
  std::vector<Layout> lanes, numbers;
  std::vector<FragmentLanes::Mode> modes;
  bool lanes_first = true;  // whether all modes of lanes come before those of numbers
  bool is_divided = true;   // whether each mode is either of lanes or of numbers
};

Divided divide(const Layout& axis, std::int64_t held) {
  Divided out;
  for (const Mode& leaf : axis.leaves()) {
    const auto parts = split_at(leaf, held);
    if (!parts) {
      out.is_divided = false;
      return out;
    }
    // The first elements are numbers of one lane; the others are the same numbers of other lanes.
    if (parts->low > 1) {
      out.numbers.emplace_back(parts->low, leaf.stride);
      out.modes.push_back({parts->low, /*of_lanes=*/false});
    }
    if (parts->high > 1) {
      if (!out.numbers.empty()) out.lanes_first = false;
      out.lanes.emplace_back(parts->high, std::max(leaf.stride, held) / held);
      out.modes.push_back({parts->high, /*of_lanes=*/true});
    }
  }
  return out;
}

Layout joined(const std::vector<Layout>& modes) {
  if (modes.empty()) return Layout(1, 0);
  return modes.size() == 1 ? modes.front() : make_layout(std::span<const Layout>(modes));
}

}  // namespace

std::optional<SplitMode> split_at(const Mode& mode, std::int64_t boundary) {
  if (mode.extent == 1 || mode.stride == 0) return SplitMode{mode.extent, 1};
  if (mode.stride >= boundary) {
    return mode.stride % boundary == 0 ? std::optional(SplitMode{1, mode.extent}) : std::nullopt;
  }
  const std::int64_t low = std::min(mode.extent, boundary / mode.stride);
  if (boundary % (low * mode.stride) != 0 || mode.extent % low != 0) return std::nullopt;
  return SplitMode{low, mode.extent / low};
}

LanesOrReason split_order(const Layout& order, std::int64_t held) {
  const auto refuse = [&](const char* why) {
    return LanesOrReason{std::nullopt, fmt::format("fragment order {}: {}", to_string(order), why)};
  };
  const Divided rows = divide(order.mode(0), held), k = divide(order.mode(1), held);
  if (!rows.is_divided || !k.is_divided) return refuse("a mode straddles a lane boundary");
  return {FragmentLanes{make_layout(joined(k.lanes), joined(rows.lanes)), joined(k.numbers),
                        joined(rows.numbers), k.modes, rows.lanes_first},
          ""};
}

}  // namespace vkmoye::gen
