// SPDX-License-Identifier: MIT
// Numbers on their way to isl and back.

#include "vkmoye/gen/proof/integer_set.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace vkmoye::gen::proof {
namespace {

TEST(IntegerSet, HasNumbersOf64Bits) {
  Solver solver(100'000);
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t number :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{1} << 31, (std::int64_t{1} << 32) + 5,
        (std::int64_t{1} << 62) - 1, kMax}) {
    for (const std::int64_t signed_number : {number, -number}) {
      const auto point = solver.zero({{"n", 1}}, -signed_number).sample();
      ASSERT_TRUE(point);
      EXPECT_EQ(point->at("n"), signed_number);
      // As a factor: number * n = number has the solution 1 alone, unless the number is 0.
      if (number == 0) continue;
      EXPECT_EQ(solver.zero({{"n", signed_number}}, -signed_number).sample(), (Point{{"n", 1}}));
    }
  }
}

}  // namespace
}  // namespace vkmoye::gen::proof
