// SPDX-License-Identifier: MIT
#pragma once
// What a device's compiler may compute in place of an expression of floating numbers, see arithmetic.hpp.
//
//   contracted(a * b - c)                 multiply_add(a, b, -c)
//   rearranged(a * b + (a * c - p))       a * (b + c) - p
//   rearranged((x + y) - x)               y

#include <optional>

#include "vkmoye/gen/ir/arithmetic.hpp"
#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::ir {

/// The multiply-add that a compiler may make of `e`, the sum or difference of a product and a number. nullopt: `e` is
/// neither.
std::optional<Expr> contracted(const Expr& e);

/// The sum `e` with one change: two equal terms of opposite sign cancel, or two products with a common factor share it;
/// the other terms keep their order. A multiply_add counts as two terms. nullopt: `e` is not a sum, or neither is
/// possible.
std::optional<Expr> rearranged(const Expr& e);

/// The expression that is computed in place of `e` in `arithmetic`, or `e`. Its operands are replaced in turn.
Expr as_computed(const Expr& e, const Arithmetic& arithmetic);

/// Whether `as_computed` changes some expressions.
constexpr bool computes_otherwise(const Arithmetic& arithmetic) {
  return arithmetic.multiply_add == MultiplyAdd::contracted || arithmetic.rearranges_sums;
}

}  // namespace vkmoye::gen::ir
