// SPDX-License-Identifier: MIT
#pragma once
// Which results are correct: those near the expected one, and overflows where an overflow is allowed.
//
//   1e38 + 3e38 - 3e38 in f32      1e38, or infinity: the sum of the positive numbers is beyond 3.4e38
//                                  neither -infinity nor NaN: that of the negative ones is not

#include "vkmoye/gen/numbers/number.hpp"

namespace vkmoye::gen {

/// The values that an element may take because its type overflows: in an intermediate sum, or in the element itself.
struct Overflow {
  bool to_infinity = false, to_minus_infinity = false, to_nan = false;
};

/// The correct value of an element, and the largest difference that rounding explains. Where it is NaN or
/// infinite, the kernel's must be the same, or a value that `overflow` allows.
struct Expected {
  double value = 0, bound = 0;
  Overflow overflow = {};
};

/// What a sum may become whose positive terms add up to `positive`, and whose negative ones to -`negative`: in any
/// order, each partial sum lies between the two.
Overflow overflow_of_sum(double positive, double negative, double largest);

/// The values that a or b may take.
Overflow either(const Overflow& a, const Overflow& b);

/// `overflow` after a multiplication by `factor`.
Overflow scaled(const Overflow& overflow, double factor);

/// `expected` as a number of `type`: if it may be beyond the largest number, it may be infinite (NaN in e4m3).
Expected in_range_of(ScalarType type, Expected expected);

/// Whether `got` is a correct result.
bool is_right(const Expected& expected, double got);

}  // namespace vkmoye::gen
