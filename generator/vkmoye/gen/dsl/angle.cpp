// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/angle.hpp"

namespace vkmoye::gen {
namespace {

using ir::Expr;

constexpr double kTwoPi = 6.283185307179586;
// 2 pi = kFirst + kSecond + kThird. The first two have 13 bits each, so that their products with numbers of turns of 11
// bits are exact, and so are the differences, of which all but the last cancel.
constexpr double kFirst = 6.2822265625, kSecond = 8042 * 0x1p-23,
                 kThird = kTwoPi - kFirst - kSecond;
constexpr double kBlock = 2048;  // of turns

// a * b - product, where `product` is that of f32. a is a whole number below 2^24: its parts have 12 bits, those of b,
// too, so that their products are exact.
Expr rest_of_product(Builder& k, const Expr& a, const Expr& b, const Expr& product) {
  const Expr a_high = k.let_exact("position_high", round(a * 0x1p-12) * 0x1p12),
             a_low = k.let_exact("position_low", a - a_high);
  const Expr upper_bits = ir::number(ScalarType::u32, 0xfffff000);
  const Expr b_high = k.let(
      "frequency_high", bitcast(bit_and(bitcast(b, ScalarType::u32), upper_bits), b->type.element));
  const Expr b_low = k.let_exact("frequency_low", b - b_high);
  return k.let_exact("rest_of_angle",
                     a_high * b_high - product + a_low * b_high + a_high * b_low + a_low * b_low);
}

}  // namespace

Expr reduced_angle(Builder& k, const Expr& position, const Expr& frequency) {
  const Expr whole = k.let_exact("whole_angle", position * frequency);
  const Expr rest = rest_of_product(k, position, frequency, whole);
  // Turns are blocks of 2048, and single ones, which what is left after the blocks tells exactly.
  const Expr blocks = k.let_exact("blocks_of_turns", round(whole * (1 / kTwoPi / kBlock)) * kBlock);
  const Expr less_blocks = k.let_exact("less_blocks", whole - blocks * kFirst);
  const Expr about = less_blocks - blocks * (kSecond + kThird) + rest;
  const Expr turns = k.let_exact("turns", round(about * (1 / kTwoPi)));
  const Expr left =
      k.let_exact("less_turns", less_blocks - turns * kFirst - blocks * kSecond - turns * kSecond);
  return k.let_exact("reduced_angle", left + (rest - (blocks + turns) * kThird));
}

}  // namespace vkmoye::gen
