// SPDX-License-Identifier: MIT
#pragma once
// Operations that combine many values into one, in any order: sum, minimum and maximum.
//
//   kMaximum(a, b)                          a if a > b or a is NaN, else b
//   kMaximum.neutral(ScalarType::f32)       -infinity
//
// As in NumPy, the minimum and maximum of floating-point values that include a NaN are NaN. A sum of
// integers wraps.

#include <string>

#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen {

struct Reduction {
  ir::Op op;  // add, minimum or maximum
  /// Whether the minimum or maximum of a NaN and a number may be either of them, which takes one instruction on most
  /// devices. Otherwise it is NaN.
  bool may_lose_nan = false;

  /// The reduction of two elements of one type, or of two indices.
  ir::Expr operator()(const ir::Expr& a, const ir::Expr& b) const;

  /// The neutral element: reduction(neutral, x) is x. Precondition: shaders can compute with
  /// elements of `type`.
  ir::Expr neutral(ScalarType type) const;

  /// Whether the device's own operation computes the same for values of `type`. It does not for minimum
  /// and maximum of floating-point values: if one operand is NaN, the device may return either.
  bool is_native(const ir::Type& type) const;

  /// "sum", "minimum", "maximum".
  const char* name() const;

  /// "sum += x", "most <- max(most, x)": combines `value` into `name`.
  std::string title(const std::string& name, const std::string& value) const;
};

inline constexpr Reduction kSum{ir::Op::add}, kMinimum{ir::Op::minimum}, kMaximum{ir::Op::maximum};
/// The maximum for values whose NaNs are noticed elsewhere.
inline constexpr Reduction kMaximumOfNumbers{ir::Op::maximum, true};

}  // namespace vkmoye::gen
