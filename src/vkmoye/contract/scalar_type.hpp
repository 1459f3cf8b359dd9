// SPDX-License-Identifier: MIT
#pragma once
// The element types that an array in memory can have.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace vkmoye {

enum class ScalarType : std::uint8_t {
  f16,
  bf16,
  f32,
  f64,
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  c64,   // complex of two f32
  c128,  // complex of two f64
  e4m3,  // 4 bits of exponent, 3 of fraction, NaN and no infinity: float8_e4m3fn of ml_dtypes
  e5m2,  // 5 bits of exponent, 2 of fraction, NaN and infinity: float8_e5m2
  count  // how many there are
};
inline constexpr std::size_t kScalarTypeCount = static_cast<std::size_t>(ScalarType::count);

/// One row of the table of types.
struct ScalarTypeInfo {
  ScalarType type;
  std::string_view name;  // as on the command line: "f32"
  std::size_t bytes;      // size and alignment of one element
  /// The `descr` of a .npy file, little-endian. Types that NumPy does not have are bytes without a type: V2 and V1.
  std::string_view numpy;
};

/// Every type, in the order of the enumeration.
std::span<const ScalarTypeInfo> scalar_types();

/// The entry of `type` in scalar_types().
const ScalarTypeInfo& info(ScalarType type);

/// The name of `type`, such as "f16", and the bytes of an element.
inline std::string_view to_string(ScalarType type) { return info(type).name; }
inline std::size_t size_of(ScalarType type) { return info(type).bytes; }

/// Whether `type` is a real floating-point type.
constexpr bool is_floating(ScalarType type) {
  return type == ScalarType::f16 || type == ScalarType::bf16 || type == ScalarType::f32 ||
         type == ScalarType::f64 || type == ScalarType::e4m3 || type == ScalarType::e5m2;
}

/// Types whose elements are codes: shaders convert them to f16 and f32 and back, and compute with those.
constexpr bool is_code(ScalarType type) {
  return type == ScalarType::bf16 || type == ScalarType::e4m3 || type == ScalarType::e5m2;
}

/// Whether `type` is an unsigned integer type.
constexpr bool is_unsigned(ScalarType type) {
  return type == ScalarType::u8 || type == ScalarType::u16 || type == ScalarType::u32 ||
         type == ScalarType::u64;
}

/// The type called `name` (s8 to s64 are other names of i8 to i64), or nullopt.
std::optional<ScalarType> parse_scalar_type(std::string_view name);

}  // namespace vkmoye
