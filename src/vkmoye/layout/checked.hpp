// SPDX-License-Identifier: MIT
#pragma once
// Arithmetic on 64-bit integers that throws LayoutError instead of overflowing. Extents, strides and offsets are
// std::int64_t. A product such as (extent - 1) * stride of two numbers of a user may not fit.

#include <cstdint>
#include <limits>

#include "vkmoye/base/overflow.hpp"
#include "vkmoye/layout/raise.hpp"

namespace vkmoye {

/// a + b. Throws LayoutError if it does not fit 64 bits.
constexpr std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (add_overflows(a, b, result)) raise("sum", {a, b}, "does not fit 64 bits");
  return result;
}

/// a * b. Throws LayoutError if it does not fit 64 bits.
constexpr std::int64_t checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (mul_overflows(a, b, result)) raise("product", {a, b}, "does not fit 64 bits");
  return result;
}

/// Whether a * b == c over the integers; a product beyond 64 bits equals nothing.
constexpr bool product_equals(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t result = 0;
  return !mul_overflows(a, b, result) && result == c;
}

/// The least integer not below a / b. Precondition: a >= 0, b > 0.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  if (a < 0 || b <= 0) raise("ceil_div", {a, b}, "needs a dividend >= 0 and a divisor > 0");
  return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace vkmoye
