// SPDX-License-Identifier: MIT
#include "vkmoye/gen/proof/wide.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace vkmoye::gen::proof {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

static_assert(wide_product(kMin, kMin) == Wide(std::uint64_t{1} << 62, 0));
static_assert(wide_product(-3, 5) == Wide(-15) && Wide(-15) < Wide(0) && Wide(0) < Wide(1));
static_assert(Wide(kMax) + Wide(1) == Wide(std::uint64_t{0}, std::uint64_t{1} << 63));

#if defined(__SIZEOF_INT128__)
__extension__ using Int128 = __int128;
__extension__ using UnsignedInt128 = unsigned __int128;

Wide of(Int128 value) {
  const auto bits = static_cast<UnsignedInt128>(value);
  return {static_cast<std::uint64_t>(bits >> 64), static_cast<std::uint64_t>(bits)};
}

TEST(Wide, IsTheIntegerOf128Bits) {
  std::mt19937_64 random(5);
  std::vector<std::int64_t> numbers = {kMin, kMin + 1, -1, 0, 1, kMax - 1, kMax};
  while (numbers.size() < 1000) {
    numbers.push_back(static_cast<std::int64_t>(random()) >> (random() % 64));
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::int64_t a = numbers[i], c = numbers[(7 * i + 3) % numbers.size()];
    const std::int64_t d = numbers[(11 * i + 5) % numbers.size()];
    for (const std::int64_t b : numbers) {
      const Int128 x = static_cast<Int128>(a) * b, y = static_cast<Int128>(c) * d;
      ASSERT_EQ(wide_product(a, b), of(x)) << a << " * " << b;
      ASSERT_EQ(of(x) + of(y), of(x + y)) << a << " * " << b << " + " << c << " * " << d;
      ASSERT_EQ(of(x) < of(y), x < y) << a << " * " << b << " < " << c << " * " << d;
    }
  }
}
#endif

}  // namespace
}  // namespace vkmoye::gen::proof
