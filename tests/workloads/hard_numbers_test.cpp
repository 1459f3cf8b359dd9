// SPDX-License-Identifier: MIT
// Hard numbers: which kinds come, that lines are reproducible, and which results are right beside the expected ones.

#include <cmath>
#include <set>
#include <vector>

#include "support/expect.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/numbers/expected.hpp"
#include "vkmoye/gen/numbers/hard.hpp"
#include "vkmoye/gen/numbers/number.hpp"
#include "vkmoye/gen/problems/products/hard_sum.hpp"

namespace vkmoye::bench {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> numbers_of(const gen::HardLine& line, std::int64_t count) {
  std::vector<double> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(line[i]);
  return out;
}

TEST(HardNumbers, HaveEveryKindAndAreNumbersOfTheirType) {
  for (const ScalarType type : {ScalarType::f32, ScalarType::f16, ScalarType::bf16, ScalarType::f64,
                                ScalarType::e4m3, ScalarType::e5m2}) {
    const gen::NumberRange range = gen::range_of(type);
    std::set<gen::HardKind> kinds;
    bool has_subnormal = false, has_largest = false, has_negative_zero = false, has_nan = false;
    for (std::uint64_t stream = 0; stream < 400; ++stream) {
      const gen::HardLine line({.type = type, .masks = true}, stream, 12);
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
    const gen::HardLine line({.type = ScalarType::f32, .largest = 8, .nonfinite = false}, stream,
                             9);
    for (const double x : numbers_of(line, 9)) EXPECT_LE(std::fabs(x), 8);
    const gen::HardLine again({.type = ScalarType::f32, .largest = 8, .nonfinite = false}, stream,
                              9);
    EXPECT_EQ(numbers_of(line, 9), numbers_of(again, 9));
    const gen::HardLine bytes({.type = ScalarType::u8}, stream, 9);
    for (const double x : numbers_of(bytes, 9))
      EXPECT_TRUE(x >= 0 && x <= 255 && x == std::floor(x));
  }
}

TEST(HardNumbers, OnlyWhatOverflowsMayBeInfinite) {
  const double largest = gen::range_of(ScalarType::f32).largest;
  // 1e38 + 3e38 - 3e38
  const gen::Expected sum = {1e38, 1e31, gen::overflow_of_sum(4e38, 3e38, largest)};
  EXPECT_TRUE(gen::is_right(sum, 1e38));
  EXPECT_TRUE(gen::is_right(sum, gen::kInfinity));
  EXPECT_FALSE(gen::is_right(sum, -gen::kInfinity));
  EXPECT_FALSE(gen::is_right(sum, kNaN));
  EXPECT_FALSE(gen::is_right(sum, 2e38));
  EXPECT_TRUE(gen::is_right({1, 0, gen::overflow_of_sum(4e38, 4e38, largest)}, kNaN));
  EXPECT_TRUE(gen::is_right({1, 0, gen::scaled({true, false, false}, -2)}, -gen::kInfinity));
  EXPECT_FALSE(gen::is_right({1, 0, gen::scaled({true, false, false}, -2)}, gen::kInfinity));
  // Rounding to f16 reaches infinity from 65520 on.
  EXPECT_TRUE(gen::is_right(gen::in_range_of(ScalarType::f16, {65530, 32}), gen::kInfinity));
  EXPECT_FALSE(gen::is_right(gen::in_range_of(ScalarType::f16, {65000, 32}), gen::kInfinity));
  EXPECT_TRUE(gen::is_right(gen::in_range_of(ScalarType::e4m3, {460, 16}), kNaN));
  EXPECT_TRUE(gen::is_right({kNaN, 0}, kNaN));
  EXPECT_FALSE(gen::is_right({kNaN, 0}, 0));
}

TEST(HardNumbers, SumsKnowWhatFlushesAndRoundsTheirOperands) {
  const double tiny = gen::range_of(ScalarType::f32).smallest_normal;
  const std::vector<double> a = {1e-39, 2, -3}, b = {1e30, 5, 4};
  const std::vector<gen::OperandError> exact(3);
  const auto da = gen::operand_errors(a, {}, {.flushed = tiny});
  EXPECT_THAT(
      da, ElementsAre(gen::OperandError{1e-39, true}, gen::OperandError{}, gen::OperandError{}));
  const gen::HardSum sum = gen::hard_sum(a, da, b, exact);
  EXPECT_DOUBLE_EQ(sum.value, -2 + 1e-9);
  EXPECT_DOUBLE_EQ(sum.positive, 10 + 1e-9);
  EXPECT_DOUBLE_EQ(sum.negative, 12);
  EXPECT_DOUBLE_EQ(sum.error, 1e-9);
  const std::vector<double> with_infinity = {gen::kInfinity, 1, 1};
  const gen::HardSum lost =
      gen::hard_sum(a, da, with_infinity, gen::operand_errors(with_infinity, {}, {}));
  EXPECT_TRUE(lost.may_be_nan);  // 0 times infinity
}

TEST(HardNumbers, BeyondTheTypeOfMatrixUnitsAreTheLargestNumberOrInfinite) {
  const gen::NumberRange f16 = gen::range_of(ScalarType::f16);
  const std::vector<double> w = {65512, 1}, x = {-1000, 0};
  const auto dw = gen::operand_errors(w, {}, {.rounded_to = &f16});
  EXPECT_THAT(dw, ElementsAre(gen::OperandError{65512 * 0x1p-10 + 0x1p-14 + 8, false, true},
                              gen::OperandError{0x1p-10 + 0x1p-14}));
  // 65512 is 65504 rounded to nearest, and infinite rounded up.
  const gen::HardSum sum = gen::hard_sum(w, dw, x, std::vector<gen::OperandError>(2));
  EXPECT_GE(sum.error, 8000);
  EXPECT_LE(sum.error, 80000);
  EXPECT_TRUE(sum.may_be_nan);
  // An error of decoding may reach beyond the largest number, and 0.
  const std::vector<double> near = {65504, 1};
  const auto decoded =
      gen::operand_errors(near, std::vector<gen::OperandError>{{1}, {1}}, {.rounded_to = &f16});
  EXPECT_TRUE(decoded[0].may_be_infinite && !decoded[0].may_be_0);
  EXPECT_TRUE(decoded[1].may_be_0 && !decoded[1].may_be_infinite);
}

}  // namespace
}  // namespace vkmoye::bench
