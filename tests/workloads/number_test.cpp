// SPDX-License-Identifier: MIT
#include "vkmoye/gen/numbers/number.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "vkmoye/base/error.hpp"

namespace vkmoye::bench {
namespace {

double round_trip(ScalarType type, double value) {
  std::array<std::byte, 8> bytes = {};
  gen::store_number(type, value, bytes.data());
  return gen::load_number(type, bytes.data());
}

TEST(Number, EveryShortFloatIsStoredAsItself) {
  for (const ScalarType type : {ScalarType::f16, ScalarType::bf16}) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      const auto before = static_cast<std::uint16_t>(bits);
      std::array<std::byte, 8> bytes = {};
      std::memcpy(bytes.data(), &before, 2);
      const double value = gen::load_number(type, bytes.data());
      if (std::isnan(value)) continue;
      std::uint16_t after = 0;
      gen::store_number(type, value, bytes.data());
      std::memcpy(&after, bytes.data(), 2);
      ASSERT_EQ(after, before) << to_string(type) << ' ' << value;
    }
  }
}

TEST(Number, RoundsToNearestAndTiesToEven) {
  EXPECT_EQ(round_trip(ScalarType::f16, 1 + 0x1p-11), 1);
  EXPECT_EQ(round_trip(ScalarType::f16, 1 + 0x3p-11), 1 + 0x1p-9);
  EXPECT_EQ(round_trip(ScalarType::f16, 1 + 0x1.1p-11), 1 + 0x1p-10);
  EXPECT_EQ(round_trip(ScalarType::f16, 2047.7), 2048);  // carries into the exponent
  EXPECT_EQ(round_trip(ScalarType::f16, 65519), 65504);
  EXPECT_EQ(round_trip(ScalarType::f16, 65520), std::numeric_limits<double>::infinity());
  EXPECT_EQ(round_trip(ScalarType::f16, 0x1p-25), 0);
  EXPECT_EQ(round_trip(ScalarType::f16, 0x1.8p-25), 0x1p-24);
  EXPECT_EQ(round_trip(ScalarType::bf16, 257), 256);
  EXPECT_EQ(round_trip(ScalarType::bf16, -1e300), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(round_trip(ScalarType::f16, std::nan(""))));
  EXPECT_TRUE(std::signbit(round_trip(ScalarType::f16, -0.0)));
  EXPECT_EQ(round_trip(ScalarType::f32, 0.1), double{0.1f});
  EXPECT_EQ(round_trip(ScalarType::i8, -128), -128);
  EXPECT_EQ(round_trip(ScalarType::u32, 4294967295.0), 4294967295.0);
}

TEST(Number, RangesAreThoseOfTheTypes) {
  for (const ScalarTypeInfo& row : scalar_types()) {
    if (row.bytes > 4 && row.type != ScalarType::f64) {
      EXPECT_THROW(gen::range_of(row.type), ArgumentError) << row.name;
      continue;
    }
    const gen::NumberRange range = gen::range_of(row.type);
    EXPECT_EQ(round_trip(row.type, range.largest), range.largest) << row.name;
    EXPECT_EQ(round_trip(row.type, range.whole), range.whole) << row.name;
    if (range.epsilon == 0) continue;
    // A double cannot represent the number after the largest f64.
    if (row.type != ScalarType::f64) {
      EXPECT_NE(round_trip(row.type, range.whole + 1), range.whole + 1) << row.name;
    }
    EXPECT_EQ(round_trip(row.type, 1 + range.epsilon), 1 + range.epsilon) << row.name;
    EXPECT_EQ(round_trip(row.type, 1 + range.epsilon / 4), 1) << row.name;
    EXPECT_EQ(round_trip(row.type, range.smallest_normal), range.smallest_normal) << row.name;
  }
}

}  // namespace
}  // namespace vkmoye::bench
