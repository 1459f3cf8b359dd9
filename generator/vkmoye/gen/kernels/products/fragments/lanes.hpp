// SPDX-License-Identifier: MIT
#pragma once
// A fragment order taken apart: which lane holds an element, and as which of its own.
//
//   A 16x16 f16 on an H200: (row, k) -> lane * 8 + number, ((8,2),(2,4,2)):((32,4),(1,8,2))
//
//     lanes    (k 4, rows 8):(1,4)     lane 5 stands at part 1 of k, row 1
//     numbers  k (2,2):(1,2)           it has 4 elements along k ..
//              rows 2:4                .. of row 1 and of row 9
//
// A sum over k stays the same when k is permuted alike in A and in B. So what lies side by side in a
// plain array may be read as one access and held as elements of several matrices:
//
//   16 bytes, k 8..15 of row 1 -> lane 5: 4 elements of one matrix, 4 of the next

#include <optional>
#include <string>
#include <vector>

#include "vkmoye/layout/layout.hpp"

namespace vkmoye::gen {

struct FragmentLanes {
  Layout lanes;        // (part of k, part of the rows) -> lane
  Layout k_numbers;    // of the elements of a lane: along k -> number
  Layout row_numbers;  // rows, that of its part first -> number

  /// The modes of k, first to last. Where they are alike in A and B, the lanes of both permute k alike.
  struct Mode {
    std::int64_t extent;
    bool of_lanes;
    bool operator==(const Mode&) const = default;
  };
  std::vector<Mode> k_modes;
};

struct LanesOrReason {
  std::optional<FragmentLanes> lanes;
  std::string reason;
};

/// `order`: (row, k) -> lane * held + number, each once; held is 1 or more. There is a reason where a
/// mode lies partly in lanes, partly in numbers, or a lane holds neighbouring rows and other lanes the
/// next ones.
LanesOrReason take_apart(const Layout& order, std::int64_t held);

}  // namespace vkmoye::gen
