// SPDX-License-Identifier: MIT
#pragma once
// Splits a fragment order into the lane that holds an element and the number of the element in that lane.
//
//   A 16x16 f16 on an H200: (row, k) -> lane * 8 + number, ((8,2),(2,4,2)):((32,4),(1,8,2))
//
//     lanes    (k 4, rows 8):(1,4)     lane 5 has part 1 of k and row 1
//     numbers  k (2,2):(1,2)           it holds 4 elements along k ..
//              rows 2:4                .. of row 1 and of row 9
//
// A sum over k does not change if k is permuted in the same way in A and in B. So contiguous elements of a
// plain array can be read in one access and used as elements of several matrices:
//
//   16 bytes, k 8..15 of row 1 -> lane 5: 4 elements of one matrix, 4 of the next

#include <optional>
#include <string>
#include <vector>

#include "vkmoye/layout/layout.hpp"

namespace vkmoye::gen {

/// The extents of the parts of a mode whose values are below `boundary`, and of its steps from there on: of 8:4 with
/// boundary 16, 4 and 2. nullopt if it straddles a multiple of the boundary.
struct SplitMode {
  std::int64_t low = 1, high = 1;
};
/// Splits `mode` at `boundary`; nullopt if it straddles a multiple of the boundary.
std::optional<SplitMode> split_at(const Mode& mode, std::int64_t boundary);

struct FragmentLanes {
  Layout to_lane;      // (part of k, part of the rows) -> lane
  Layout k_numbers;    // element of a lane along k -> number
  Layout row_numbers;  // row of a lane, starting with that of its part -> number

  /// The modes of k, first to last. If A and B have the same modes, the lanes of both permute k in the same
  /// way.
  struct Mode {
    std::int64_t extent;
    bool of_lanes;
    bool operator==(const Mode&) const = default;
  };
  std::vector<Mode> k_modes;

  /// False if a lane holds adjacent rows, and other lanes the following ones.
  bool rows_of_lanes_first = true;
};

/// A split fragment order, or the reason why it cannot be split.
struct LanesOrReason {
  std::optional<FragmentLanes> lanes;
  std::string reason;
};

/// `order`: (row, k) -> lane * held + number, each once; held >= 1. Returns a reason if a mode is partly of
/// lanes and partly of numbers.
LanesOrReason split_order(const Layout& order, std::int64_t held);

}  // namespace vkmoye::gen
