// SPDX-License-Identifier: MIT
#pragma once
// Values of several threads combined: by the lanes of subgroups first, then through shared memory.
//
//   threads (8,32):(1,8), subgroups of 32 lanes, over mode 1: thread = column + 8 * row
//
//     bits of a thread    4 3 | 2 1 0    5 6 7          columns are kept, rows combined
//                         rows  columns  rows           rows 0..3 are lanes, the rest subgroups
//     lanes       each meets lane ^ 8, then lane ^ 16: 4 rows are one
//     subgroups   lanes 0..7 write shared partials (values, column, subgroup); every thread reads
//                 the 8 of its column
//
// Where the lanes are combined whole, the device's own reduction does it, if it computes the same.

#include <cstdint>
#include <vector>

#include "vkmoye/layout/layout.hpp"

namespace vkmoye::gen {

/// How the threads that differ only in one mode of their layout come together.
struct ThreadReduction {
  std::vector<std::uint32_t> lane_steps;  // lanes are combined with lane ^ step, in order
  bool all_lanes = false;                 // these are all the steps that there are
  Layout
      slots;  // thread -> place of its partial result; those that are combined share one by lanes
  Layout group;                 // thread -> the first of the places to combine for it
  Layout members;               // number -> a place of the group, from its first on
  Layout combined_lanes;        // thread -> 0 for the one of its lanes that speaks for them
  std::int64_t slot_count = 1;  // places of a workgroup
};

/// Throws LayoutError unless `threads` numbers them 0 to size-1, each once, `mode` is one of its
/// modes, and `lanes`, a power of two, divides or is divided by each leaf that it meets.
ThreadReduction reduction_of(const Layout& threads, int mode, std::uint32_t lanes);

}  // namespace vkmoye::gen
