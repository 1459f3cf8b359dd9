// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/fragment_lanes.hpp"

#include <fmt/format.h>

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
  const auto add = [&](std::int64_t extent, std::int64_t stride) {
    if (extent == 1) return;
    const bool of_lanes = stride >= held;
    if (of_lanes && !out.numbers.empty()) out.lanes_first = false;
    if (of_lanes && stride % held != 0) out.is_divided = false;
    (of_lanes ? out.lanes : out.numbers).emplace_back(extent, of_lanes ? stride / held : stride);
    out.modes.push_back({extent, of_lanes});
  };
  for (const auto& leaf : axis.leaves()) {
    const bool goes_on = leaf.stride < held && leaf.stride * (leaf.extent - 1) >= held;
    if (!goes_on) {
      add(leaf.extent, leaf.stride);
      continue;
    }
    // The first elements are numbers of one lane; the others are the same numbers of other lanes.
    const std::int64_t of_numbers = held / leaf.stride;
    if (held % leaf.stride != 0 || leaf.extent % of_numbers != 0) {
      out.is_divided = false;
      return out;
    }
    add(of_numbers, leaf.stride);
    add(leaf.extent / of_numbers, held);
  }
  return out;
}

Layout joined(const std::vector<Layout>& modes) {
  if (modes.empty()) return Layout(1, 0);
  return modes.size() == 1 ? modes.front() : make_layout(std::span<const Layout>(modes));
}

}  // namespace

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
