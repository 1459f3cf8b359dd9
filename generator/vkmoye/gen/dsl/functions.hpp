// SPDX-License-Identifier: MIT
#pragma once
// Functions of elements that are made of several operations, see ir/expr.hpp for exp, sin, floor and the like.
//
//   k.apply(y, [](const Expr& x) { return clamp(pow(x, 2.5), 0, 1); }, x);
//
// A number next to an element is converted to its type. Error bounds are for f32. The result for NaN is NaN, unless a
// function says otherwise.

#include <cstdint>

#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen {

/// x^y for x >= 0, computed as exp2(y * log2(x)). The relative error is 2^-23 (3 + 5 |y log2(x)|), and |y| 2^-21 more
/// for x between 0.5 and 2. 0^y is 0 for y > 0. The result for negative x is undefined.
template <class Exponent>
ir::Expr pow(const ir::Expr& x, const Exponent& y) {
  return exp2(y * log2(x));
}

/// 1, -1, or x itself where it is 0 or NaN.
ir::Expr sign(const ir::Expr& x);

/// x, but at least `low` and at most `high`. NaN: either of them, or NaN.
template <class Low, class High>
ir::Expr clamp(const ir::Expr& x, const Low& low, const High& high) {
  return minimum(maximum(x, low), high);
}

/// The error function: 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x. The absolute error is 1.5e-7 and four
/// roundings.
/// Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26.
ir::Expr erf(const ir::Expr& x);

/// `count` bits of a u32 (or of an index) from bit `first` on: byte 1 of a word is bit_field(word, 8, 8).
/// Precondition: count is 1 at least, and first + count is 32 at most.
ir::Expr bit_field(const ir::Expr& word, std::uint32_t first, std::uint32_t count);

}  // namespace vkmoye::gen
