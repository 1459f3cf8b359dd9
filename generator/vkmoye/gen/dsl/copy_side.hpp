// SPDX-License-Identifier: MIT
#pragma once
// One side of a copy: what it touches at once, under which names and conditions.
//
//   values of a thread (4,2) of src (cols,rows), 2 vectors of 4 in the order of memory
//     names      src_col = .., src_row = ..
//     elements   src_x4[src_col, src_row], src_x4[src_col, src_row + 1]
//     values     0 1 2 3, 4 5 6 7

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/bounds.hpp"
#include "vkmoye/gen/dsl/value_loops.hpp"
#include "vkmoye/gen/dsl/view.hpp"
#include "vkmoye/gen/dsl/width.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// What is touched at once: neighbours along axis 0.
struct Run {
  ir::Element element;
  std::vector<std::size_t> values;  // numbers within the round, in the order in memory
  Conditions inside;                // so that it lies inside
};

struct Side {
  ir::Body names_before, names_inside;          // before and inside the loops
  Conditions inside_before, inside_each_round;  // so that what a round touches first lies inside
  std::vector<Run> runs;                        // of a round
};

/// How values are touched.
struct Touching {
  std::string name;           // what coordinates are called: name_col
  std::vector<Round> rounds;  // the loops around
  Vector vector;              // what a round moves, if there are loops ..
  bool all = false;           // .. or all values at once
  std::uint32_t width = 1;    // elements of one access
  bool checks = false;        // whether something may be outside
  bool clamps = false;        // whether what is outside is the last element inside instead
};

/// Precondition: `view` looks at `array`; width_of proves the width.
Side side_of(const View& view, const ir::Array& array, const Touching& touching);

}  // namespace vkmoye::gen
