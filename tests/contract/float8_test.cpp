// SPDX-License-Identifier: MIT
// The numbers of e4m3 and e5m2 (OCP 8-bit Floating Point Specification, table 2), and how doubles are rounded to them.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "vkmoye/contract/scalar_value.hpp"

namespace vkmoye {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Float8, HasTheNumbersOfItsSpecification) {
  const ScalarType e4m3 = ScalarType::e4m3, e5m2 = ScalarType::e5m2;
  for (const auto& [type, code, number] : {std::tuple{e4m3, 0x00, 0.0},
                                           {e4m3, 0x01, 0x1p-9},
                                           {e4m3, 0x07, 7 * 0x1p-9},
                                           {e4m3, 0x08, 0x1p-6},
                                           {e4m3, 0x38, 1.0},
                                           {e4m3, 0x7e, 448.0},
                                           {e4m3, 0xb8, -1.0},
                                           {e5m2, 0x01, 0x1p-16},
                                           {e5m2, 0x03, 3 * 0x1p-16},
                                           {e5m2, 0x04, 0x1p-14},
                                           {e5m2, 0x3c, 1.0},
                                           {e5m2, 0x7b, 57344.0},
                                           {e5m2, 0x7c, kInfinity},
                                           {e5m2, 0xfc, -kInfinity}}) {
    EXPECT_EQ(number_of(type, static_cast<std::uint64_t>(code)), number)
        << to_string(type) << " " << code;
  }
  for (const auto& [type, code] :
       {std::pair{e4m3, 0x7f}, {e4m3, 0xff}, {e5m2, 0x7d}, {e5m2, 0x7e}, {e5m2, 0xff}}) {
    EXPECT_TRUE(std::isnan(number_of(type, static_cast<std::uint64_t>(code))))
        << to_string(type) << " " << code;
  }
}

TEST(Float8, ComesBackFromItsNumber) {
  for (const ScalarType type : {ScalarType::e4m3, ScalarType::e5m2}) {
    for (std::uint64_t code = 0; code < 256; ++code) {
      const double number = number_of(type, code);
      if (std::isnan(number)) {
        EXPECT_TRUE(std::isnan(number_of(type, bits_of(type, number))));
      } else {
        EXPECT_EQ(bits_of(type, number), code) << to_string(type);
      }
    }
  }
}

TEST(Float8, RoundsToNearestEven) {
  const ScalarType e4m3 = ScalarType::e4m3, e5m2 = ScalarType::e5m2;
  for (const auto& [type, number, code] : {std::tuple{e4m3, 1.0625, 0x38},
                                           {e4m3, 1.0626, 0x39},
                                           {e4m3, 1.1875, 0x3a},
                                           {e4m3, 0x1p-10, 0x00},
                                           {e4m3, 0x1.8p-9, 0x02},
                                           {e4m3, 464.0, 0x7e},
                                           {e4m3, 464.1, 0x7f},
                                           {e4m3, kInfinity, 0x7f},
                                           {e4m3, -500.0, 0xff},
                                           {e5m2, 1.125, 0x3c},
                                           {e5m2, 1.375, 0x3e},
                                           {e5m2, 61439.9, 0x7b},
                                           {e5m2, 61440.0, 0x7c},
                                           {e5m2, -1e9, 0xfc}}) {
    EXPECT_EQ(bits_of(type, number), static_cast<std::uint64_t>(code))
        << to_string(type) << " " << number;
  }
}

}  // namespace
}  // namespace vkmoye
