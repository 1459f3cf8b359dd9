// SPDX-License-Identifier: MIT
#pragma once
// The accesses of one side of a copy, with their names and conditions.
//
//   values of a thread (4,2) of src (cols,rows), 2 vectors of 4 in memory order
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

/// One access: contiguous elements along axis 0.
struct ContiguousAccess {
  ir::Element element;
  std::vector<std::size_t> values;  // numbers within the iteration, in memory order
  Conditions inside;                // for the access to be inside
};

struct ViewAccesses {
  ir::Body names_before, names_inside;  // before and inside the loops
  /// The conditions for the first access of an iteration to be inside.
  Conditions inside_before, inside_each_iteration;
  std::vector<ContiguousAccess> accesses;  // the accesses of one iteration
};

/// How a copy accesses the values of a view.
struct AccessOptions {
  std::string name;              // prefix of the names of coordinates: name_col
  std::vector<ValueLoop> loops;  // the surrounding loops
  Vector vector;                 // what an iteration moves, if there are loops ..
  bool all = false;              // .. or all values at once
  std::uint32_t width = 1;       // elements of one access
  bool checks = false;           // whether values may be outside
  bool clamps = false;           // whether a value outside is replaced by the last element inside
};

/// Preconditions: `view` is a view of `array`; width_of proves the width.
ViewAccesses accesses_of(const View& view, const ir::Array& array, const AccessOptions& options);

}  // namespace vkmoye::gen
