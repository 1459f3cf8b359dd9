// SPDX-License-Identifier: MIT
// Hard numbers: which kinds come, that lines are reproducible, and which results are right beside the expected ones.

#include <gmock/gmock.h>

#include <cmath>
#include <set>
#include <vector>

#include "numbers/hard.hpp"
#include "numbers/number.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "workloads/expected.hpp"
#include "workloads/products/hard_sum.hpp"

namespace vkmoye::bench {
namespace {

using testing::ElementsAre;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> numbers_of(const HardLine& line, std::int64_t count) {
  std::vector<double> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(line[i]);
  return out;
}

TEST(HardNumbers, HaveEveryKindAndAreNumbersOfTheirType) {
  for (const ScalarType type : {ScalarType::f32, ScalarType::f16, ScalarType::bf16, ScalarType::f64,
                                ScalarType::e4m3, ScalarType::e5m2}) {
    const NumberRange range = range_of(type);
    std::set<HardKind> kinds;
    bool has_subnormal = false, has_largest = false, has_negative_zero = false, has_nan = false;
    for (std::uint64_t stream = 0; stream < 400; ++stream) {
      const HardLine line({.type = type, .masks = true}, stream, 12);
      kinds.insert(line.kind());
      for (const double x : numbers_of(line, 12)) {
        if (std::isnan(x)) {
          has_nan = true;
          continue;
        }
        EXPECT_EQ(x, number_of(type, bits_of(type, x)));
        has_subnormal = has_subnormal || (x != 0 && std::fabs(x) < range.smallest_normal);
        has_largest = has_largest || std::fabs(x) == range.largest;
        has_negative_zero = has_negative_zero || (x == 0 && std::signbit(x));
      }
    }
    EXPECT_EQ(kinds.size(), 9u) << to_string(type);
    EXPECT_TRUE(has_subnormal && has_largest && has_negative_zero && has_nan) << to_string(type);
  }
}

TEST(HardNumbers, StayBelowTheirLargestAndFiniteIfAsked) {
  for (std::uint64_t stream = 0; stream < 200; ++stream) {
    const HardLine line({.type = ScalarType::f32, .largest = 8, .nonfinite = false}, stream, 9);
    for (const double x : numbers_of(line, 9)) EXPECT_LE(std::fabs(x), 8);
    const HardLine again({.type = ScalarType::f32, .largest = 8, .nonfinite = false}, stream, 9);
    EXPECT_EQ(numbers_of(line, 9), numbers_of(again, 9));
    const HardLine bytes({.type = ScalarType::u8}, stream, 9);
    for (const double x : numbers_of(bytes, 9))
      EXPECT_TRUE(x >= 0 && x <= 255 && x == std::floor(x));
  }
}

TEST(HardNumbers, OnlyWhatOverflowsMayBeInfinite) {
  const double largest = range_of(ScalarType::f32).largest;
  // 1e38 + 3e38 - 3e38
  const Expected sum = {1e38, 1e31, overflow_of_sum(4e38, 3e38, largest)};
  EXPECT_TRUE(is_right(sum, 1e38));
  EXPECT_TRUE(is_right(sum, kInfinity));
  EXPECT_FALSE(is_right(sum, -kInfinity));
  EXPECT_FALSE(is_right(sum, kNaN));
  EXPECT_FALSE(is_right(sum, 2e38));
  EXPECT_TRUE(is_right({1, 0, overflow_of_sum(4e38, 4e38, largest)}, kNaN));
  EXPECT_TRUE(is_right({1, 0, scaled({true, false, false}, -2)}, -kInfinity));
  EXPECT_FALSE(is_right({1, 0, scaled({true, false, false}, -2)}, kInfinity));
  // Rounding to f16 reaches infinity from 65520 on.
  EXPECT_TRUE(is_right(in_range_of(ScalarType::f16, {65530, 32}), kInfinity));
  EXPECT_FALSE(is_right(in_range_of(ScalarType::f16, {65000, 32}), kInfinity));
  EXPECT_TRUE(is_right(in_range_of(ScalarType::e4m3, {460, 16}), kNaN));
  EXPECT_TRUE(is_right({kNaN, 0}, kNaN));
  EXPECT_FALSE(is_right({kNaN, 0}, 0));
}

TEST(HardNumbers, SumsKnowWhatFlushesAndRoundsTheirOperands) {
  const double tiny = range_of(ScalarType::f32).smallest_normal;
  const std::vector<double> a = {1e-39, 2, -3}, b = {1e30, 5, 4};
  const std::vector<OperandError> exact(3);
  const auto da = operand_errors(a, {}, {.flushed = tiny});
  EXPECT_THAT(da, ElementsAre(OperandError{1e-39, true}, OperandError{}, OperandError{}));
  const HardSum sum = hard_sum(a, da, b, exact);
  EXPECT_DOUBLE_EQ(sum.value, -2 + 1e-9);
  EXPECT_DOUBLE_EQ(sum.positive, 10 + 1e-9);
  EXPECT_DOUBLE_EQ(sum.negative, 12);
  EXPECT_DOUBLE_EQ(sum.error, 1e-9);
  const std::vector<double> with_infinity = {kInfinity, 1, 1};
  const HardSum lost = hard_sum(a, da, with_infinity, operand_errors(with_infinity, {}, {}));
  EXPECT_TRUE(lost.may_be_nan);  // 0 times infinity
}

TEST(HardNumbers, BeyondTheTypeOfMatrixUnitsAreTheLargestNumberOrInfinite) {
  const NumberRange f16 = range_of(ScalarType::f16);
  const std::vector<double> w = {65512, 1}, x = {-1000, 0};
  const auto dw = operand_errors(w, {}, {.rounded_to = &f16});
  EXPECT_THAT(dw, ElementsAre(OperandError{65512 * 0x1p-10 + 0x1p-14 + 8, false, true},
                              OperandError{0x1p-10 + 0x1p-14}));
  // 65512 is 65504 rounded to nearest, and infinite rounded up.
  const HardSum sum = hard_sum(w, dw, x, std::vector<OperandError>(2));
  EXPECT_GE(sum.error, 8000);
  EXPECT_LE(sum.error, 80000);
  EXPECT_TRUE(sum.may_be_nan);
  // An error of decoding may reach beyond the largest number, and 0.
  const std::vector<double> near = {65504, 1};
  const auto decoded = operand_errors(near, std::vector<double>{1, 1}, {.rounded_to = &f16});
  EXPECT_TRUE(decoded[0].may_be_infinite && !decoded[0].may_be_0);
  EXPECT_TRUE(decoded[1].may_be_0 && !decoded[1].may_be_infinite);
}

}  // namespace
}  // namespace vkmoye::bench
