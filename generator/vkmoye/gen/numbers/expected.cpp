// SPDX-License-Identifier: MIT
#include "vkmoye/gen/numbers/expected.hpp"

#include <cmath>

namespace vkmoye::gen {

Overflow overflow_of_sum(double positive, double negative, double largest) {
  const bool up = !(positive <= largest), down = !(negative <= largest);
  return {up, down, up && down};
}

Overflow either(const Overflow& a, const Overflow& b) {
  return {a.to_infinity || b.to_infinity, a.to_minus_infinity || b.to_minus_infinity,
          a.to_nan || b.to_nan};
}

Overflow scaled(const Overflow& overflow, double factor) {
  const auto [up, down, nan] = overflow;
  if (factor > 0) return overflow;
  if (factor < 0) return {down, up, nan};
  return {false, false, nan || up || down};
}

Expected in_range_of(ScalarType type, Expected expected) {
  const double largest = range_of(type).largest;
  const bool up = expected.value + expected.bound > largest,
             down = expected.value - expected.bound < -largest;
  if (type == ScalarType::e4m3) {
    const bool is_beyond = up || down || expected.overflow.to_infinity ||
                           expected.overflow.to_minus_infinity || expected.overflow.to_nan;
    return {expected.value, expected.bound, {false, false, is_beyond}};
  }
  expected.overflow = either(expected.overflow, {up, down, false});
  return expected;
}

bool is_right(const Expected& expected, double got) {
  if (std::isnan(got)) return std::isnan(expected.value) || expected.overflow.to_nan;
  if (got == expected.value) return true;
  if (std::isinf(got)) {
    return got > 0 ? expected.overflow.to_infinity : expected.overflow.to_minus_infinity;
  }
  return std::fabs(got - expected.value) <= expected.bound;
}

}  // namespace vkmoye::gen
