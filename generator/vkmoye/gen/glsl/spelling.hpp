// SPDX-License-Identifier: MIT
#pragma once
// The GLSL names of types, and the extensions that they need, as a table.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/contract/scalar_type.hpp"

namespace vkmoye::gen::glsl {

struct Spelling {
  ScalarType type;
  std::string_view name;                    // "float16_t"
  std::string_view vector;                  // "f16vec", before the number of elements, up to 4
  std::vector<std::string_view> in_buffer;  // extensions for an element of a buffer
  std::vector<std::string_view> in_shader;  // extensions for variables and shared memory
  std::string_view pack = "";  // a word of a packed vector from its elements: "pack32(u8vec4({}))"
  std::string_view unpack = "";  // element {1} of the word {0}: "unpack8({})[{}]"
  /// The definitions of NAME_to_float and float_to_NAME; empty if GLSL has conversions.
  std::string_view to_float = "", from_float = "";
  /// That of NAME_to_floats, from a word of four codes; empty for codes of other sizes.
  std::string_view to_floats = "";
};

const Spelling& spelling(ScalarType type);

/// The extension that a shader declares for a feature other than its types; "" for most.
std::string_view extension(Feature feature);

/// "float", "vec4"; "uvec4" for a packed vector (ir::is_packed) of 16 bytes.
std::string element_name(ScalarType type, std::uint32_t width);

}  // namespace vkmoye::gen::glsl
