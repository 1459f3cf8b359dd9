#include "vkmoye/gen/glsl/spelling.hpp"

#include <algorithm>
#include <iterator>

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
      {ScalarType::f16, "float16_t", "f16vec", {kStorage16}, {kFloat16}},
      {ScalarType::bf16,
       "uint16_t",
       "u16vec",
       {kStorage16},
       {kInt16}},  // moved, never computed with
      {ScalarType::f32, "float", "vec", {}, {}},
      {ScalarType::f64, "double", "dvec", {}, {}},
      {ScalarType::i8, "int8_t", "i8vec", {kStorage8}, {kInt8}},
      {ScalarType::u8, "uint8_t", "u8vec", {kStorage8}, {kInt8}},
      {ScalarType::i32, "int", "ivec", {}, {}},
      {ScalarType::u32, "uint", "uvec", {}, {}},
  };
  return *std::find_if(std::begin(table), std::end(table),
                       [&](const Spelling& row) { return row.type == type; });
}

std::string element_name(ScalarType type, std::uint32_t width) {
  const Spelling& row = spelling(type);
  return width == 1 ? std::string(row.name) : std::string(row.vector) + std::to_string(width);
}

}  // namespace vkmoye::gen::glsl
