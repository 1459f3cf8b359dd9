#pragma once
// How GLSL spells types, and which extensions a spelling needs. Rows of data, no branches.

#include <string_view>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"

namespace vkmoye::gen::glsl {

struct Spelling {
  ScalarType type;
  std::string_view name;                    // "float16_t"
  std::vector<std::string_view> in_buffer;  // extensions for an element of a buffer
  std::vector<std::string_view> in_shader;  // extensions for variables and shared memory
};

const Spelling& spelling(ScalarType type);

}  // namespace vkmoye::gen::glsl
