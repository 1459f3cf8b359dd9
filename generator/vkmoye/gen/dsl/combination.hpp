// SPDX-License-Identifier: MIT
#pragma once
// Ways to make one value of many, in any order: sum, least and largest.
//
//   kMaximum(a, b)                          a where a >= b or a is no number, else b
//   kMaximum.neutral(ScalarType::f32)       -infinity
//
// As in NumPy, the least and the largest of floating numbers among which is a NaN is NaN. A sum of
// integers wraps.

#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen {

struct Combination {
  ir::Op op;  // add, minimum or maximum

  /// Of two elements of one type, or two indices.
  ir::Expr operator()(const ir::Expr& a, const ir::Expr& b) const;

  /// The element that changes nothing: combination(neutral, x) is x. Precondition: shaders compute
  /// with elements of `type`.
  ir::Expr neutral(ScalarType type) const;

  /// Whether the device's own operation of that name computes the same for values of `type`: with
  /// NaN, its least and largest may be any of both.
  bool is_native(const ir::Type& type) const;

  /// "sum", "least", "largest".
  const char* name() const;
};

inline constexpr Combination kSum{ir::Op::add}, kMinimum{ir::Op::minimum},
    kMaximum{ir::Op::maximum};

}  // namespace vkmoye::gen
