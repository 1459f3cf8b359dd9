// SPDX-License-Identifier: MIT
#pragma once
// Combines values of several threads: within subgroups first, then through shared memory.
//
//   threads (8,32):(1,8), subgroups of 32 lanes, over mode 1: thread = column + 8 * row
//
//     bits of a thread    4 3 | 2 1 0    5 6 7          columns are kept, rows combined
//                         rows  columns  rows           rows 0..3 are lanes, the rest subgroups
//     lanes       each combines with lane ^ 8, then lane ^ 16: 4 rows become one
//     subgroups   lanes 0..7 write shared partials (values, column, subgroup); every thread reads
//                 the 8 of its column
//
// If all lanes of a subgroup are combined, the device's own reduction is used where its result is the
// same.

#include <cstdint>
#include <vector>

#include "vkmoye/layout/layout.hpp"

namespace vkmoye::gen {

/// How the threads that differ only in one mode of their layout combine their values.
struct ThreadReduction {
  std::vector<std::uint32_t> lane_steps;  // lanes are combined with lane ^ step, in order
  bool all_lanes = false;                 // whether the steps combine all lanes of a subgroup
  Layout slots;           // thread -> slot of its partial result; lanes that are combined share one
  Layout group;           // thread -> the first of the slots to combine for it
  Layout members;         // number -> offset of a slot of the group from the first
  Layout combined_lanes;  // thread -> 0 for the one of the combined lanes that writes the result
  std::int64_t slot_count = 1;  // slots of a workgroup
};

/// Throws LayoutError unless `threads` numbers the threads 0 to size-1, each once, `mode` is one of
/// its modes, and no leaf straddles a boundary of subgroups of `lanes`, a power of two.
ThreadReduction reduction_of(const Layout& threads, int mode, std::uint32_t lanes);

}  // namespace vkmoye::gen
