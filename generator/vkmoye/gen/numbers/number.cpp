// SPDX-License-Identifier: MIT
#include "vkmoye/gen/numbers/number.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/scalar_value.hpp"

namespace vkmoye::gen {
namespace {

template <class T>
T load_as(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Types that a double cannot represent exactly are only moved.
[[noreturn]] void refuse(ScalarType type) {
  throw ArgumentError(fmt::format("{} is only moved, not computed with", to_string(type)));
}

// Calls `use` with a function that loads one element as a double.
template <class Use>
auto with_loader(ScalarType type, Use use) {
  const auto plain = [&](auto zero) {
    return use([](const std::byte* p) { return static_cast<double>(load_as<decltype(zero)>(p)); });
  };
  switch (type) {
    case ScalarType::f16:
      return use(
          [](const std::byte* p) { return number_of(ScalarType::f16, load_as<std::uint16_t>(p)); });
    case ScalarType::bf16:
      return use([](const std::byte* p) {
        return number_of(ScalarType::bf16, load_as<std::uint16_t>(p));
      });
    case ScalarType::e4m3:
    case ScalarType::e5m2:
      return use([type](const std::byte* p) { return number_of(type, load_as<std::uint8_t>(p)); });
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
    case ScalarType::e4m3: return {0x1p-3, 0x1p-6, 448, 16};
    case ScalarType::e5m2: return {0x1p-2, 0x1p-14, 57344, 8};
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

double random_number(ScalarType type, std::uint64_t bits) {
  const NumberRange range = range_of(type);
  if (range.epsilon == 0) return static_cast<double>(bits % 101) - (is_unsigned(type) ? 0 : 50);
  const double uniform = std::ldexp(static_cast<double>(bits >> 11), -52) - 1;
  return std::fabs(uniform) < range.smallest_normal ? range.smallest_normal : uniform;
}

void store_number(ScalarType type, double value, std::byte* to) {
  const std::uint64_t bits = bits_of(type, value);
  std::memcpy(to, &bits, size_of(type));  // the low bytes
}

}  // namespace vkmoye::gen
