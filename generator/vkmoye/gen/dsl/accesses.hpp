// SPDX-License-Identifier: MIT
#pragma once
// The accesses of one operand of a copy or a computation: where, how wide, guarded by what, under which names.
//
//   values of a thread (4,2) of src (cols,rows), 2 vectors of 4 in memory order
//     names      src_col = .., src_row = ..
//     elements   src_x4[src_col, src_row], src_x4[src_col, src_row + 1]
//     values     0 1 2 3, 4 5 6 7

#include <cstdint>
#include <optional>
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

/// How values that may be outside of a buffer are accessed.
enum class Outside : std::uint8_t {
  never,    // no value is outside
  guarded,  // not at all: the conditions in ViewAccesses say which are inside
  clamped,  // the last element inside is accessed in their place
};

/// How the values of a view are accessed.
struct AccessOptions {
  std::string name;                   // prefix of the names of coordinates: name_col
  std::vector<ValueLoop> loops = {};  // the surrounding loops
  std::optional<Vector> vector = {};  // what an iteration of them moves; nullopt: all values
  std::uint32_t width = 1;            // elements of one access
  Outside outside = Outside::never;
  /// Whether names and conditions that do not depend on the loops are before them. Otherwise all coordinates of a
  /// buffer, and nothing else, are named in each iteration.
  bool hoists = true;
};

/// `known`: accesses whose names are in scope; a coordinate that is also theirs is not named again.
/// Precondition: width_of proves the width.
ViewAccesses accesses_of(const ArrayView& of, const AccessOptions& options,
                         const ViewAccesses& known = {});

}  // namespace vkmoye::gen
