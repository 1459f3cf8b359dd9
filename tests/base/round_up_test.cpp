// SPDX-License-Identifier: MIT
#include "vkmoye/base/round_up.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace vkmoye {
namespace {

TEST(RoundUp, IsTheSmallestMultipleThatIsNotLess) {
  for (std::int64_t step = 1; step <= 17; ++step) {
    for (std::int64_t value = 0; value <= 64; ++value) {
      std::int64_t expected = 0;
      while (expected < value) expected += step;
      EXPECT_EQ(round_up(value, step), expected) << value << " to " << step;
    }
  }
  EXPECT_EQ(round_up<std::uint32_t>(0x80000001u, 2), 0x80000002u);
}

}  // namespace
}  // namespace vkmoye
