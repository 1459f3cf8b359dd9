// SPDX-License-Identifier: MIT
#include "vkmoye/gen/glsl/spelling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::glsl {
namespace {

constexpr std::string_view kStorage8 = "GL_EXT_shader_8bit_storage";
constexpr std::string_view kStorage16 = "GL_EXT_shader_16bit_storage";
constexpr std::string_view kInt8 = "GL_EXT_shader_explicit_arithmetic_types_int8";
constexpr std::string_view kInt16 = "GL_EXT_shader_explicit_arithmetic_types_int16";
constexpr std::string_view kFloat16 = "GL_EXT_shader_explicit_arithmetic_types_float16";

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
      // Moved, never computed with.
      {ScalarType::bf16,
       "uint16_t",
       "u16vec",
       {kStorage16},
       {kInt16},
       "pack32(u16vec2({}))",
       "unpack16({})[{}]"},
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
      // Words, moved and never computed with.
      {ScalarType::i64, "uvec2", "", {}, {}},
      {ScalarType::u64, "uvec2", "", {}, {}},
      {ScalarType::c64, "uvec2", "", {}, {}},
      {ScalarType::c128, "uvec4", "", {}, {}},
  };
  return *std::find_if(std::begin(table), std::end(table),
                       [&](const Spelling& row) { return row.type == type; });
}

std::string_view extension(Feature feature) {
  switch (feature) {
    case Feature::subgroup_basic: return "GL_KHR_shader_subgroup_basic";
    case Feature::subgroup_arithmetic: return "GL_KHR_shader_subgroup_arithmetic";
    case Feature::subgroup_ballot: return "GL_KHR_shader_subgroup_ballot";
    case Feature::subgroup_shuffle: return "GL_KHR_shader_subgroup_shuffle";
    case Feature::cooperative_matrix: return "GL_KHR_cooperative_matrix";
    case Feature::shared_f32_atomic_add:
    case Feature::buffer_f32_atomic_add: return "GL_EXT_shader_atomic_float";
    case Feature::buffer_address: return "GL_EXT_buffer_reference";
    case Feature::i64: return "GL_EXT_shader_explicit_arithmetic_types_int64";
    default: return "";
  }
}

std::string element_name(ScalarType type, std::uint32_t width) {
  const Spelling& row = spelling(type);
  if (ir::is_packed(type, width)) return fmt::format("uvec{}", width * size_of(type) / 4);
  return width == 1 ? std::string(row.name) : std::string(row.vector) + std::to_string(width);
}

}  // namespace vkmoye::gen::glsl
