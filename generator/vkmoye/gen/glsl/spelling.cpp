// SPDX-License-Identifier: MIT
#include "vkmoye/gen/glsl/spelling.hpp"

#include <fmt/format.h>

#include <iterator>

#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::glsl {
namespace {

constexpr std::string_view kStorage8 = "GL_EXT_shader_8bit_storage";
constexpr std::string_view kStorage16 = "GL_EXT_shader_16bit_storage";
constexpr std::string_view kInt8 = "GL_EXT_shader_explicit_arithmetic_types_int8";
constexpr std::string_view kInt16 = "GL_EXT_shader_explicit_arithmetic_types_int16";
constexpr std::string_view kFloat16 = "GL_EXT_shader_explicit_arithmetic_types_float16";

// The upper half of an f32. Rounded to nearest even. The functions that convert a code ignore the bits above it.
constexpr std::string_view kFromBf16 = R"(
float bf16_to_float(uint code) {
  return uintBitsToFloat(code << 16u);
}
)";
constexpr std::string_view kToBf16 = R"(
uint float_to_bf16(float number) {
  uint bits = floatBitsToUint(number);
  return isnan(number) ? 0x7fffu : (bits + 0x7fffu + ((bits >> 16u) & 1u)) >> 16u;
}
)";

// As bits of an f16, the magnitude of a code is the number / 256; that of NaN, 0x3f80, gets the exponent of NaN.
// Numbers are rounded to nearest even by an addition that leaves 3 bits of a magnitude from 2^-6 on, and below it
// multiples of 2^-9. Values beyond 448 become NaN, because e4m3 has no infinity; from 2^108 on, and for infinity and
// NaN, `spaced` is no such number, but the code is above 127 all the same. An integer is not converted to float, nor a
// float rounded to one, which GPUs do at a quarter of the rate. This relies on two things that Vulkan leaves to the
// device, and that CodesTest checks: unpackHalf2x16 keeps denormals, and f32 additions round to nearest even.
constexpr std::string_view kFromE4m3 = R"(
float e4m3_to_float(uint code) {
  uint magnitude = (code & 127u) << 7u;
  uint half_bits = ((code & 128u) << 8u) | magnitude | ((magnitude + 128u) & 0x4000u);
  return 256.0 * unpackHalf2x16(half_bits).x;
}
)";
constexpr std::string_view kFourFromE4m3 = R"(
vec4 e4m3_to_floats(uint codes) {
  uvec2 even_odd = uvec2(codes << 8u, codes);  // in the upper byte of each half
  uvec2 magnitude = (even_odd >> 1u) & 0x3f803f80u;
  uvec2 half_bits = (even_odd & 0x80008000u) | magnitude | ((magnitude + 0x00800080u) & 0x40004000u);
  return 256.0 * vec4(unpackHalf2x16(half_bits.x), unpackHalf2x16(half_bits.y)).xzyw;
}
)";
constexpr std::string_view kToE4m3 = R"(
uint float_to_e4m3(float number) {
  uint bits = floatBitsToUint(number);
  uint exponent = max(bits & 0x7f800000u, 0x3c800000u);
  uint spaced = exponent + 0x0a000000u;  // 2^20 times as much: floats there are as far apart as codes here
  uint sum = floatBitsToUint(abs(number) + uintBitsToFloat(spaced));
  uint code = sum - spaced + (exponent >> 20u) - 968u;
  return min(code, 127u) | ((bits >> 24u) & 128u);
}
)";

// The upper half of an f16. Rounded as above: 2 bits from 2^-14 on, and multiples of 2^-16 below. Values beyond 57344
// become infinity. Relies on the same as above.
constexpr std::string_view kFromE5m2 = R"(
float e5m2_to_float(uint code) {
  return unpackHalf2x16((code & 255u) << 8u).x;
}
)";
constexpr std::string_view kFourFromE5m2 = R"(
vec4 e5m2_to_floats(uint codes) {
  uvec2 half_bits = uvec2(codes << 8u, codes) & 0xff00ff00u;  // even codes, odd codes
  return vec4(unpackHalf2x16(half_bits.x), unpackHalf2x16(half_bits.y)).xzyw;
}
)";
constexpr std::string_view kToE5m2 = R"(
uint float_to_e5m2(float number) {
  uint bits = floatBitsToUint(number);
  uint exponent = max(bits & 0x7f800000u, 0x38800000u);
  uint spaced = exponent + 0x0a800000u;  // 2^21 times as much: floats there are as far apart as codes here
  uint sum = floatBitsToUint(abs(number) + uintBitsToFloat(spaced));
  uint code = min(sum - spaced + (exponent >> 21u) - 452u, 124u);
  return (isnan(number) ? 126u : code) | ((bits >> 24u) & 128u);
}
)";

}  // namespace

const Spelling& spelling(ScalarType type) {
  static const Spelling table[] = {
      {ScalarType::f16,
       "float16_t",
       "f16vec",
       {kStorage16},
       {kFloat16},
       "packFloat2x16(f16vec2({}))",
       "unpackFloat2x16({})[{}]"},
      // Codes, moved and converted, never computed with.
      {ScalarType::bf16,
       "uint16_t",
       "u16vec",
       {kStorage16},
       {kInt16},
       "pack32(u16vec2({}))",
       "unpack16({})[{}]",
       kFromBf16,
       kToBf16},
      {ScalarType::f32, "float", "vec", {}, {}},
      {ScalarType::f64, "double", "dvec", {}, {}},
      {ScalarType::i8,
       "int8_t",
       "i8vec",
       {kStorage8},
       {kInt8},
       "pack32(u8vec4({}))",
       "int8_t(unpack8({})[{}])"},
      {ScalarType::u8,
       "uint8_t",
       "u8vec",
       {kStorage8},
       {kInt8},
       "pack32(u8vec4({}))",
       "unpack8({})[{}]"},
      {ScalarType::i16,
       "int16_t",
       "i16vec",
       {kStorage16},
       {kInt16},
       "pack32(u16vec2({}))",
       "int16_t(unpack16({})[{}])"},
      {ScalarType::u16,
       "uint16_t",
       "u16vec",
       {kStorage16},
       {kInt16},
       "pack32(u16vec2({}))",
       "unpack16({})[{}]"},
      {ScalarType::i32, "int", "ivec", {}, {}},
      {ScalarType::u32, "uint", "uvec", {}, {}},
      // Words that are moved but never computed with.
      {ScalarType::i64, "uvec2", "", {}, {}},
      {ScalarType::u64, "uvec2", "", {}, {}},
      {ScalarType::c64, "uvec2", "", {}, {}},
      {ScalarType::c128, "uvec4", "", {}, {}},
      // Codes, moved and converted, never computed with.
      {ScalarType::e4m3,
       "uint8_t",
       "u8vec",
       {kStorage8},
       {kInt8},
       "pack32(u8vec4({}))",
       "unpack8({})[{}]",
       kFromE4m3,
       kToE4m3,
       kFourFromE4m3},
      {ScalarType::e5m2,
       "uint8_t",
       "u8vec",
       {kStorage8},
       {kInt8},
       "pack32(u8vec4({}))",
       "unpack8({})[{}]",
       kFromE5m2,
       kToE5m2,
       kFourFromE5m2},
  };
  static_assert(std::size(table) == kScalarTypeCount);
  return table[static_cast<std::size_t>(type)];
}

std::string_view extension(Feature feature) {
  switch (feature) {
    case Feature::subgroup_basic: return "GL_KHR_shader_subgroup_basic";
    case Feature::subgroup_arithmetic: return "GL_KHR_shader_subgroup_arithmetic";
    case Feature::subgroup_ballot: return "GL_KHR_shader_subgroup_ballot";
    case Feature::subgroup_shuffle: return "GL_KHR_shader_subgroup_shuffle";
    case Feature::cooperative_matrix: return "GL_KHR_cooperative_matrix";
    case Feature::grid_barrier: return "GL_KHR_memory_scope_semantics";
    case Feature::shared_f32_atomic_add:
    case Feature::buffer_f32_atomic_add: return "GL_EXT_shader_atomic_float";
    case Feature::buffer_address: return "GL_EXT_buffer_reference";
    case Feature::integer_dot: return "GL_EXT_integer_dot_product";
    case Feature::i64: return "GL_EXT_shader_explicit_arithmetic_types_int64";
    case Feature::f16:
    case Feature::f64:
    case Feature::i8:
    case Feature::i16:
    case Feature::storage8:
    case Feature::storage16:
    case Feature::bf16_matrix:
    case Feature::subgroup_size_control:
    case Feature::count: break;
  }
  return "";
}

std::string element_name(ScalarType type, std::uint32_t width) {
  const Spelling& row = spelling(type);
  if (ir::is_packed(type, width)) return fmt::format("uvec{}", width * size_of(type) / 4);
  return width == 1 ? std::string(row.name) : std::string(row.vector) + std::to_string(width);
}

}  // namespace vkmoye::gen::glsl
