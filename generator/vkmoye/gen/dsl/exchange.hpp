// SPDX-License-Identifier: MIT
#pragma once
// Registers of one thread-value layout as those of another one, between the lanes of a subgroup: the
// move that otherwise goes through shared memory.
//
//   4 lanes with 4 values each: of a 4x4 matrix, first a row for each lane, then a column
//
//     from (4,4):(1,4)      lane 0   0  4  8 12        to (4,4):(4,1)      lane 0   0  1  2  3
//                           lane 1   1  5  9 13                            lane 1   4  5  6  7
//                           lane 2   2  6 10 14                            lane 2   8  9 10 11
//                           lane 3   3  7 11 15                            lane 3  12 13 14 15
//
//   to, by from^-1: (lane, value) -> where it was, lane + 4 * value     (4,4):(4,1)
//     Both bits of the lane were bits of the value, and the other way round: two rounds. Lanes that
//     differ in a bit exchange one value of each two that differ in the bit of the value.
//
//     lane ^ 1, value ^ 1      lane 0 sends 4 12, gets 1 9, has  0  1  8  9;  lane 1  4  5 12 13; ..
//     lane ^ 2, value ^ 2      lane 0 sends 8  9, gets 2 3, has  0  1  2  3; ..
//
// A round takes half a shuffle for each value, and selects, as no register is found by a number that
// differs from lane to lane. Where whole lanes change places, a shuffle for each value follows; where
// values change places within a lane, registers change names, which is free.

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/layout/layout.hpp"

namespace vkmoye::gen {

struct LaneExchange {
  /// A bit of the lane and one of the value change places.
  struct Round {
    std::uint32_t lane_step;
    std::int64_t value_step;  // counted in the values of `to`
    bool operator==(const Round&) const = default;
  };
  Layout values;  // what is value v at the end is in register values(v) at the beginning
  std::vector<Round> rounds;  // in any order
  Layout lanes;               // then lane l takes what lane lanes(l) has

  /// Whether whole lanes change places.
  bool moves_lanes() const;
  /// By a thread.
  std::int64_t shuffles() const;
};

/// Every reason why shuffles in subgroups of `lanes`, a power of two, cannot make `to` out of `from`,
/// both (thread, value) -> coordinate; empty: they can. Threads may be fewer than lanes: each so
/// many exchange among themselves.
std::vector<std::string> reasons_against_exchange(const Layout& from, const Layout& to,
                                                  std::uint32_t lanes);

/// How they do. Throws LayoutError with every reason.
LaneExchange exchange_of(const Layout& from, const Layout& to, std::uint32_t lanes);

}  // namespace vkmoye::gen
