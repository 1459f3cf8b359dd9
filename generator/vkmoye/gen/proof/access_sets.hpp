// SPDX-License-Identifier: MIT
#pragma once
// The accesses of a kernel to some of its arrays as sets, with the solver and the variables that they are sets over.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/gen/proof/accesses.hpp"

namespace vkmoye::gen::proof {

class AccessSets {
 public:
  /// Collects the accesses to arrays that `wanted` accepts. The solver may take `max_steps`. Throws GaveUp.
  AccessSets(const ir::Kernel& kernel, const std::function<bool(const ir::Array&)>& wanted,
             unsigned long max_steps);

  const std::vector<Access>& list() const { return list_; }
  /// The accesses to `array`.
  std::vector<const Access*> to(const ir::Array& array) const;
  IndexValues& values() { return *values_; }
  const Solver& solver() const { return solver_; }
  const Variables& variables() const { return variables_; }

  /// Variables of an invocation: all but arguments and coordinates.
  const std::vector<std::string>& own_variables() const { return own_; }
  /// The variables that a split variable consists of, or itself.
  std::vector<std::string> parts(const std::string& variable);
  /// The arguments of a launch in which one of `points` occurs: small ones if there are any.
  Point arguments_in(const Set& points);
  /// The points that the coordinates and the arguments can have, for an array with `axes`.
  Set elements(const std::vector<ir::Axis>& axes);

 private:
  std::int64_t value_in(const Point& point, std::size_t variable) const;

  const ir::Kernel& kernel_;
  Solver solver_;
  Variables variables_;
  std::optional<IndexValues> values_;
  std::vector<Access> list_;
  std::vector<std::string> own_;
};

}  // namespace vkmoye::gen::proof
