// SPDX-License-Identifier: MIT
#pragma once
// Integers of 128 bits, for sums of products of 64-bit integers: these need more than 64 bits, and not every compiler
// has a type for them.

#include <compare>
#include <cstdint>

namespace vkmoye::gen::proof {

/// high * 2^64 + low, in two's complement. Sums wrap modulo 2^128.
struct Wide {
  std::int64_t high = 0;  // first: comparisons begin here
  std::uint64_t low = 0;

  constexpr Wide() = default;
  constexpr Wide(std::int64_t value)  // NOLINT: implicit by intent
      : high(value < 0 ? -1 : 0), low(static_cast<std::uint64_t>(value)) {}
  constexpr Wide(std::uint64_t high, std::uint64_t low)
      : high(static_cast<std::int64_t>(high)), low(low) {}

  auto operator<=>(const Wide&) const = default;
};

constexpr Wide operator+(const Wide& a, const Wide& b) {
  const std::uint64_t low = a.low + b.low;
  const std::uint64_t carry = low < a.low ? 1 : 0;
  return {static_cast<std::uint64_t>(a.high) + static_cast<std::uint64_t>(b.high) + carry, low};
}

/// a * b, which always fits.
constexpr Wide wide_product(std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  constexpr std::uint64_t kHalf = 0xffffffff;
  // As of unsigned numbers, by halves.
  const std::uint64_t low = (x & kHalf) * (y & kHalf);
  const std::uint64_t middle = (x >> 32) * (y & kHalf) + (low >> 32);
  const std::uint64_t other = (x & kHalf) * (y >> 32) + (middle & kHalf);
  const std::uint64_t high = (x >> 32) * (y >> 32) + (middle >> 32) + (other >> 32);
  // A negative number read as unsigned is 2^64 too large.
  return {high - (a < 0 ? y : 0) - (b < 0 ? x : 0), (other << 32) | (low & kHalf)};
}

}  // namespace vkmoye::gen::proof
