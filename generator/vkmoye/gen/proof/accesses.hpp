// SPDX-License-Identifier: MIT
#pragma once
// Every access of a kernel to some of its arrays, as a set: which invocation touches which element in which round.
//
//   if (i < n) dst[i] = ..   in a grid of n / 64     { group_x, thread, n, @0 : @0 = 64 group_x + thread < n }

#include <functional>
#include <string>
#include <vector>

#include "vkmoye/gen/proof/index_values.hpp"

namespace vkmoye::gen::proof {

/// The variable for the coordinate along an axis.
std::string coordinate_variable(std::size_t axis);

/// A body that runs where arguments alone decide it: `if (n != 7) { .. }`.
struct Branch {
  const ir::Body* body;
  Set points;  // where it runs
};

struct Access {
  ir::StatementAccess statement_access;
  const ir::Array* array = nullptr;
  /// The axes of the coordinates: those of the array, or a single one of all its elements.
  std::vector<ir::Axis> axes;
  /// Contains the points that occur; no others, where all of `branches` run, if `is_exact`.
  Set points;
  bool is_exact = false;
  std::vector<Branch> branches;  // around it, outermost first
};

/// The accesses to arrays that `wanted` accepts, in order. `values` must be fresh, and outlive the result.
std::vector<Access> accesses_of(const ir::Kernel& kernel, IndexValues& values,
                                const std::function<bool(const ir::Array&)>& wanted);

}  // namespace vkmoye::gen::proof
