// SPDX-License-Identifier: MIT
#pragma once
// Sums and products of 64-bit integers, and whether they fit. In standard C++, so that every compiler has them.
//
//   std::int64_t product = 0;
//   if (mul_overflows(extent, stride, product)) ..   // extent * stride is not a 64-bit integer

#include <cstdint>

namespace vkmoye {

/// Sets `out` to a + b modulo 2^64. Returns whether that is not a + b. `out` may be `a` or `b`.
constexpr bool add_overflows(std::int64_t a, std::int64_t b, std::int64_t& out) {
  out = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  return ((a ^ out) & (b ^ out)) < 0;  // both have a sign that the sum does not have
}

/// Sets `out` to a * b modulo 2^64. Returns whether that is not a * b. `out` may be `a` or `b`.
constexpr bool mul_overflows(std::int64_t a, std::int64_t b, std::int64_t& out) {
  const auto bits_of_a = static_cast<std::uint64_t>(a), bits_of_b = static_cast<std::uint64_t>(b);
  const std::uint64_t product = bits_of_a * bits_of_b;
  out = static_cast<std::int64_t>(product);
  // Both from -2^31 to 2^31 - 1: no division.
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 31;
  if ((((bits_of_a + kHalf) | (bits_of_b + kHalf)) >> 32) == 0 || a == 0) return false;
  // The magnitude of the product is at most 2^63, or 2^63 - 1 if it is positive.
  const bool is_negative = (a < 0) != (b < 0);
  const std::uint64_t max = (std::uint64_t{1} << 63) - (is_negative ? 0 : 1);
  const std::uint64_t size_of_a = a < 0 ? 0 - bits_of_a : bits_of_a;
  const std::uint64_t size_of_b = b < 0 ? 0 - bits_of_b : bits_of_b;
  return size_of_b > max / size_of_a;
}

}  // namespace vkmoye
