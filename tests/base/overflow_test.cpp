// SPDX-License-Identifier: MIT
#include "vkmoye/base/overflow.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace vkmoye {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

struct Outcome {
  bool overflows;
  std::int64_t value;
  bool operator==(const Outcome&) const = default;
};

constexpr Outcome sum(std::int64_t a, std::int64_t b) {
  Outcome out = {};
  out.overflows = add_overflows(a, b, out.value);
  return out;
}
constexpr Outcome product(std::int64_t a, std::int64_t b) {
  Outcome out = {};
  out.overflows = mul_overflows(a, b, out.value);
  return out;
}

// At compile time, too.
static_assert(sum(kMax, 1) == Outcome{true, kMin} && sum(kMax, -1) == Outcome{false, kMax - 1});
static_assert(product(kMin, -1) == Outcome{true, kMin});
static_assert(product(std::int64_t{1} << 32, -(std::int64_t{1} << 31)) == Outcome{false, kMin});
static_assert(product(std::int64_t{1} << 32, std::int64_t{1} << 31) == Outcome{true, kMin});

#if defined(__GNUC__)
// The compiler's own functions say the same.
void expect_as_builtin(std::int64_t a, std::int64_t b) {
  Outcome expected = {};
  expected.overflows = __builtin_add_overflow(a, b, &expected.value);
  EXPECT_TRUE(sum(a, b) == expected) << a << " + " << b;
  expected.overflows = __builtin_mul_overflow(a, b, &expected.value);
  EXPECT_TRUE(product(a, b) == expected) << a << " * " << b;
}

TEST(Overflow, EdgesAreThoseOfTheBuiltins) {
  std::vector<std::int64_t> edges;
  for (int bit = 0; bit < 64; ++bit) {
    const auto power = static_cast<std::int64_t>(std::uint64_t{1} << bit);
    for (std::int64_t near = -2; near <= 2; ++near) {
      edges.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(power) +
                                                static_cast<std::uint64_t>(near)));
      edges.push_back(static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(edges.back())));
    }
  }
  // Divisors of 2^63 - 1, whose products just fit.
  for (const std::int64_t divisor : {7, 49, 73, 127, 337, 92737, 649657}) {
    edges.insert(edges.end(), {divisor, kMax / divisor, kMax / divisor + 1, -kMax / divisor});
  }
  for (const std::int64_t a : edges) {
    for (const std::int64_t b : edges) expect_as_builtin(a, b);
  }
}

TEST(Overflow, RandomNumbersOfEverySizeAreThoseOfTheBuiltins) {
  std::mt19937_64 random(20261126);
  int overflows = 0;
  constexpr int kCases = 1000000;
  for (int i = 0; i < kCases; ++i) {
    const auto number = [&] {
      const std::uint64_t size = random() >> (random() % 64);
      return static_cast<std::int64_t>(random() % 2 == 0 ? size : 0 - size);
    };
    const std::int64_t a = number(), b = number();
    expect_as_builtin(a, b);
    overflows += product(a, b).overflows ? 1 : 0;
  }
  EXPECT_GT(overflows, kCases / 4);
  EXPECT_LT(overflows, 3 * kCases / 4);
}
#endif

TEST(Overflow, TheResultMayBeAnOperand) {
  std::int64_t value = 6;
  EXPECT_FALSE(mul_overflows(value, 7, value));
  EXPECT_EQ(value, 42);
  EXPECT_FALSE(add_overflows(value, value, value));
  EXPECT_EQ(value, 84);
}

}  // namespace
}  // namespace vkmoye
