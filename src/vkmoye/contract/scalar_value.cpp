// SPDX-License-Identifier: MIT
#include "vkmoye/contract/scalar_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "vkmoye/base/error.hpp"

namespace vkmoye {
namespace {

// A binary floating-point format: a sign, an exponent, `fraction` bits. The largest exponent is that of infinity and
// NaN; in formats without infinity it also belongs to numbers, except for NaN, whose other bits are all set.
struct Format {
  int bits, fraction, bias;
  bool has_infinity = true;

  int sign() const { return 1 << (bits - 1); }
  // The first code above those of finite numbers: infinity, or NaN.
  int end() const { return has_infinity ? (sign() - 1) >> fraction << fraction : sign() - 1; }
  int nan() const { return has_infinity ? end() | 1 << (fraction - 1) : end(); }
};
constexpr Format kHalf = {16, 10, 15}, kBrain = {16, 7, 127}, kE4m3 = {8, 3, 7, false},
                 kE5m2 = {8, 2, 15};

// 2^exponent, for the exponents of normal numbers. std::ldexp takes ten times as long.
double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

double from_short(std::uint64_t bits, const Format& format) {
  const int code = static_cast<int>(bits) & (format.sign() - 1);
  const int exponent = code >> format.fraction;
  const int fraction = code & ((1 << format.fraction) - 1);
  double magnitude = 0;
  if (code >= format.end()) {
    magnitude = format.has_infinity && fraction == 0 ? std::numeric_limits<double>::infinity()
                                                     : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = fraction * power_of_two(1 - format.bias - format.fraction);
  } else {
    magnitude = (fraction + (1 << format.fraction)) *
                power_of_two(exponent - format.bias - format.fraction);
  }
  return (static_cast<int>(bits) & format.sign()) != 0 ? -magnitude : magnitude;
}

std::uint64_t to_short(double value, const Format& format) {
  const int sign = std::signbit(value) ? format.sign() : 0;
  if (std::isnan(value)) return static_cast<std::uint64_t>(sign | format.nan());
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return static_cast<std::uint64_t>(sign);
  // In units of the last place, a carry into the exponent needs no special case. Infinity has exponent 1024.
  const int exponent = std::max(
      static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> 52) - 1023, 1 - format.bias);
  const double units = std::nearbyint(magnitude * power_of_two(format.fraction - exponent));
  const double code = units + (exponent + format.bias - 1) * power_of_two(format.fraction);
  return static_cast<std::uint64_t>(sign |
                                    (code >= format.end() ? format.end() : static_cast<int>(code)));
}

[[noreturn]] void refuse(ScalarType type) {
  throw ArgumentError(fmt::format("{} is only moved, not computed with", to_string(type)));
}

}  // namespace

double number_of(ScalarType type, std::uint64_t bits) {
  switch (type) {
    case ScalarType::f16: return from_short(bits, kHalf);
    case ScalarType::bf16: return from_short(bits, kBrain);
    case ScalarType::e4m3: return from_short(bits, kE4m3);
    case ScalarType::e5m2: return from_short(bits, kE5m2);
    case ScalarType::f32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case ScalarType::f64: return std::bit_cast<double>(bits);
    case ScalarType::i8: return static_cast<std::int8_t>(bits);
    case ScalarType::u8: return static_cast<std::uint8_t>(bits);
    case ScalarType::i16: return static_cast<std::int16_t>(bits);
    case ScalarType::u16: return static_cast<std::uint16_t>(bits);
    case ScalarType::i32: return static_cast<std::int32_t>(bits);
    case ScalarType::u32: return static_cast<std::uint32_t>(bits);
    case ScalarType::i64:
    case ScalarType::u64:
    case ScalarType::c64:
    case ScalarType::c128:
    case ScalarType::count: break;
  }
  refuse(type);
}

std::uint64_t bits_of(ScalarType type, double value) {
  switch (type) {
    case ScalarType::f16: return to_short(value, kHalf);
    case ScalarType::bf16: return to_short(value, kBrain);
    case ScalarType::e4m3: return to_short(value, kE4m3);
    case ScalarType::e5m2: return to_short(value, kE5m2);
    case ScalarType::f32: return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case ScalarType::f64: return std::bit_cast<std::uint64_t>(value);
    case ScalarType::i8: return static_cast<std::uint8_t>(static_cast<std::int8_t>(value));
    case ScalarType::u8: return static_cast<std::uint8_t>(value);
    case ScalarType::i16: return static_cast<std::uint16_t>(static_cast<std::int16_t>(value));
    case ScalarType::u16: return static_cast<std::uint16_t>(value);
    case ScalarType::i32: return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
    case ScalarType::u32: return static_cast<std::uint32_t>(value);
    case ScalarType::i64:
    case ScalarType::u64:
    case ScalarType::c64:
    case ScalarType::c128:
    case ScalarType::count: break;
  }
  refuse(type);
}

}  // namespace vkmoye
