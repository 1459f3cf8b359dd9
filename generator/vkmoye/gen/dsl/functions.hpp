// SPDX-License-Identifier: MIT
#pragma once
// Functions of elements that are made of several operations, see ir/expr.hpp for exp, sin, floor and the like.
//
//   k.apply(y, [](const Expr& x) { return clamp(pow(x, 2.5), 0, 1); }, x);
//
// A number next to an element is converted to its type. Error bounds are for f32. The result for NaN is NaN, unless a
// function says otherwise.

#include <cstdint>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
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

/// bit_field as a signed i32, whose sign is the last of the bits: byte 1, an i8, is signed_bit_field(word, 8, 8).
ir::Expr signed_bit_field(const ir::Expr& word, std::uint32_t first, std::uint32_t count);

/// A u32 that holds `parts`, elements of i32 or u32, the first in the lowest bits: 2 of 16 bits, 4 of 8 or 8 of 4. Only
/// that many low bits of each part are used. bit_field and signed_bit_field extract them; for f16 see pack_f16 and
/// unpack_f16 in ir/expr.hpp. Throws KernelError unless there are 2, 4, 8, 16 or 32 parts.
ir::Expr pack_bits(const std::vector<ir::Expr>& parts);

/// Two words of four bytes each, elements of u32, and the types of their bytes: i8 or u8.
struct BytePair {
  ir::Expr a, b;
  ScalarType type_of_a = ScalarType::i8, type_of_b = ScalarType::i8;
};

/// sum + a[0] * b[0] + .. + a[3] * b[3], where a[i] and b[i] are the bytes of two words; `sum` is an i32, or a u32 if
/// both types are u8. Exact, modulo 2^32. For a `device` with Feature::integer_dot it is one operation, and the kernel
/// needs that feature; for others it is written with shifts, which give the same result: give the words names
/// (Builder::let), because it uses each four times. Throws KernelError for types other than i8 and u8.
///
///   dot4(device, {a, b}, sum)      of i8
ir::Expr dot4(const DeviceCaps& device, const BytePair& words, const ir::Expr& sum);

}  // namespace vkmoye::gen
