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

// A binary floating-point format of 16 bits: sign, exponent, `fraction` bits.
struct Short {
  int fraction;
  int bias;
};
constexpr Short kHalf = {10, 15}, kBrain = {7, 127};

double from_short(std::uint16_t bits, Short format) {
  const int exponent = (bits & 0x7fff) >> format.fraction;
  const int fraction = bits & ((1 << format.fraction) - 1);
  double magnitude = 0;
  if (exponent == (0x7fff >> format.fraction)) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, 1 - format.bias - format.fraction);
  } else {
    magnitude =
        std::ldexp(fraction + (1 << format.fraction), exponent - format.bias - format.fraction);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

std::uint16_t to_short(double value, Short format) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const int infinity = 0x7fff >> format.fraction << format.fraction;
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>(sign | infinity | 1 << (format.fraction - 1));
  }
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  // In units of the last place, a carry into the exponent falls out by itself.
  const int exponent =
      std::isinf(magnitude) ? 1024 : std::max(std::ilogb(magnitude), 1 - format.bias);
  const double units = std::nearbyint(std::ldexp(magnitude, format.fraction - exponent));
  const double bits = units + std::ldexp(exponent + format.bias - 1, format.fraction);
  return static_cast<std::uint16_t>(sign | (bits >= infinity ? infinity : static_cast<int>(bits)));
}

[[noreturn]] void refuse(ScalarType type) {
  throw ArgumentError(fmt::format("{} is only moved, not computed with", to_string(type)));
}

}  // namespace

double number_of(ScalarType type, std::uint64_t bits) {
  switch (type) {
    case ScalarType::f16: return from_short(static_cast<std::uint16_t>(bits), kHalf);
    case ScalarType::bf16: return from_short(static_cast<std::uint16_t>(bits), kBrain);
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
    case ScalarType::c128: break;
  }
  refuse(type);
}

std::uint64_t bits_of(ScalarType type, double value) {
  switch (type) {
    case ScalarType::f16: return to_short(value, kHalf);
    case ScalarType::bf16: return to_short(value, kBrain);
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
    case ScalarType::c128: break;
  }
  refuse(type);
}

}  // namespace vkmoye
