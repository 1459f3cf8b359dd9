// SPDX-License-Identifier: MIT
#pragma once
// Redistributes registers from one thread-value layout to another by shuffles between the lanes of a
// subgroup; otherwise this goes through shared memory.
//
//   4 lanes with 4 values each of a 4x4 matrix: first each lane has a row, then a column
//
//     from (4,4):(1,4)      lane 0   0  4  8 12        to (4,4):(4,1)      lane 0   0  1  2  3
//                           lane 1   1  5  9 13                            lane 1   4  5  6  7
//                           lane 2   2  6 10 14                            lane 2   8  9 10 11
//                           lane 3   3  7 11 15                            lane 3  12 13 14 15
//
//   from^-1 o to: (lane, value) -> its origin, lane + 4 * value     (4,4):(4,1)
//     Both bits of the lane were bits of the value, and vice versa: two rounds. In a round, two lanes
//     that differ in a bit exchange one value of each pair that differs in the bit of the value.
//
//     lane ^ 1, value ^ 1      lane 0 sends 4 12, gets 1 9, has  0  1  8  9;  lane 1  4  5 12 13; ..
//     lane ^ 2, value ^ 2      lane 0 sends 8  9, gets 2 3, has  0  1  2  3; ..
//
// A round costs half a shuffle for each value, and selects, because the index of a register cannot
// differ between lanes. If whole lanes are permuted, a shuffle for each value follows. Permuting values
// within a lane only renames registers, which is free.

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/layout/layout.hpp"

namespace vkmoye::gen {

/// The shuffles that turn one thread-value layout into another.
struct LaneExchange {
  /// Swaps a bit of the lane and a bit of the value.
  struct Round {
    std::uint32_t lane_step;
    std::int64_t value_step;  // counted in the values of `to`
    bool operator==(const Round&) const = default;
  };
  Layout values;              // value v of the result uses register values(v) of the input
  std::vector<Round> rounds;  // in any order
  Layout lanes;               // then lane l takes the values of lane lanes(l)

  /// Whether whole lanes are permuted.
  bool moves_lanes() const;
  /// The number of shuffles that a thread executes.
  std::int64_t shuffles() const;
};

/// Every reason why shuffles in subgroups of `lanes`, a power of two, cannot turn `from` into `to`,
/// both (thread, value) -> coordinate; empty if they can. If the layouts have fewer threads than
/// `lanes`, each group of that many lanes exchanges among itself.
std::vector<std::string> reasons_against_exchange(const Layout& from, const Layout& to,
                                                  std::uint32_t lanes);

/// The exchange from `from` to `to`. Precondition: there is no reason against it.
LaneExchange exchange_of(const Layout& from, const Layout& to, std::uint32_t lanes);

}  // namespace vkmoye::gen
