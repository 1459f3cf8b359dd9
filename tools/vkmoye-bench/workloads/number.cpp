#include "workloads/number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "vkmoye/base/error.hpp"

namespace vkmoye::bench {
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
  if (std::isnan(value))
    return static_cast<std::uint16_t>(sign | infinity | 1 << (format.fraction - 1));
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  // In units of the last place, a carry into the exponent falls out by itself.
  const int exponent =
      std::isinf(magnitude) ? 1024 : std::max(std::ilogb(magnitude), 1 - format.bias);
  const double units = std::nearbyint(std::ldexp(magnitude, format.fraction - exponent));
  const double bits = units + std::ldexp(exponent + format.bias - 1, format.fraction);
  return static_cast<std::uint16_t>(sign | (bits >= infinity ? infinity : static_cast<int>(bits)));
}

template <class T>
T load_as(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void store_as(T value, std::byte* to) {
  std::memcpy(to, &value, sizeof value);
}

// Types of which a double is not a faithful picture are moved, never computed with.
[[noreturn]] void refuse(ScalarType type) {
  throw ArgumentError(fmt::format("{} is only moved, not computed with", to_string(type)));
}

// Calls `use` with a function that reads one element as a double.
template <class Use>
auto with_loader(ScalarType type, Use use) {
  const auto plain = [&](auto zero) {
    return use([](const std::byte* p) { return static_cast<double>(load_as<decltype(zero)>(p)); });
  };
  switch (type) {
    case ScalarType::f16:
      return use([](const std::byte* p) { return from_short(load_as<std::uint16_t>(p), kHalf); });
    case ScalarType::bf16:
      return use([](const std::byte* p) { return from_short(load_as<std::uint16_t>(p), kBrain); });
    case ScalarType::f32: return plain(float{});
    case ScalarType::f64: return plain(double{});
    case ScalarType::i8: return plain(std::int8_t{});
    case ScalarType::u8: return plain(std::uint8_t{});
    case ScalarType::i16: return plain(std::int16_t{});
    case ScalarType::u16: return plain(std::uint16_t{});
    case ScalarType::i32: return plain(std::int32_t{});
    case ScalarType::u32: return plain(std::uint32_t{});
    default: refuse(type);
  }
}

template <class T>
NumberRange floating() {
  using Limits = std::numeric_limits<T>;
  return {Limits::epsilon(), Limits::min(), Limits::max(), 2 / Limits::epsilon()};
}

template <class T>
NumberRange integer() {
  return {0, 0, std::numeric_limits<T>::max(), std::numeric_limits<T>::max()};
}

}  // namespace

NumberRange range_of(ScalarType type) {
  switch (type) {
    case ScalarType::f16: return {0x1p-10, 0x1p-14, 65504, 2048};
    case ScalarType::bf16: return {0x1p-7, 0x1p-126, 0x1.fep127, 256};
    case ScalarType::f32: return floating<float>();
    case ScalarType::f64: return floating<double>();
    case ScalarType::i8: return integer<std::int8_t>();
    case ScalarType::u8: return integer<std::uint8_t>();
    case ScalarType::i16: return integer<std::int16_t>();
    case ScalarType::u16: return integer<std::uint16_t>();
    case ScalarType::i32: return integer<std::int32_t>();
    case ScalarType::u32: return integer<std::uint32_t>();
    default: refuse(type);
  }
}

double load_number(ScalarType type, const std::byte* from) {
  return with_loader(type, [&](auto load) { return load(from); });
}

void load_numbers(ScalarType type, const std::byte* from, std::uint64_t first, std::uint64_t step,
                  std::span<double> out) {
  const std::uint64_t width = size_of(type);
  with_loader(type, [&](auto load) {
    const std::byte* at = from + first * width;
    for (double& value : out) {
      value = load(at);
      at += step * width;
    }
  });
}

void store_number(ScalarType type, double value, std::byte* to) {
  switch (type) {
    case ScalarType::f16: return store_as(to_short(value, kHalf), to);
    case ScalarType::bf16: return store_as(to_short(value, kBrain), to);
    case ScalarType::f32: return store_as(static_cast<float>(value), to);
    case ScalarType::f64: return store_as(value, to);
    case ScalarType::i8: return store_as(static_cast<std::int8_t>(value), to);
    case ScalarType::u8: return store_as(static_cast<std::uint8_t>(value), to);
    case ScalarType::i16: return store_as(static_cast<std::int16_t>(value), to);
    case ScalarType::u16: return store_as(static_cast<std::uint16_t>(value), to);
    case ScalarType::i32: return store_as(static_cast<std::int32_t>(value), to);
    case ScalarType::u32: return store_as(static_cast<std::uint32_t>(value), to);
    default: refuse(type);
  }
}

}  // namespace vkmoye::bench
