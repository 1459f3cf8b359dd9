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
      {ScalarType::f16, "float16_t", {kStorage16}, {kFloat16}},
      {ScalarType::bf16, "uint16_t", {kStorage16}, {kInt16}},  // moved, never computed with
      {ScalarType::f32, "float", {}, {}},
      {ScalarType::f64, "double", {}, {}},
      {ScalarType::i8, "int8_t", {kStorage8}, {kInt8}},
      {ScalarType::u8, "uint8_t", {kStorage8}, {kInt8}},
      {ScalarType::i32, "int", {}, {}},
      {ScalarType::u32, "uint", {}, {}},
  };
  return *std::find_if(std::begin(table), std::end(table),
                       [&](const Spelling& row) { return row.type == type; });
}

}  // namespace vkmoye::gen::glsl
