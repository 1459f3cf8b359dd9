// SPDX-License-Identifier: MIT
#pragma once
// The text of conversions in GLSL: between types, between bits and numbers, and between elements and the words of
// packed vectors.
//
//   f16 x8 in a uvec4, element 3     unpackFloat2x16(v.y)[1]
//   e4m3 to f32                      e4m3_to_float(uint(x))

#include <cstdint>
#include <optional>
#include <string>

#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::glsl {

/// Element `number` of a packed vector of `type`, whose text is `vector`.
std::string unpacked(const std::string& vector, ScalarType type, std::uint64_t number);

/// The packed vector of the operands of `node`, word by word.
std::string packed(const ir::Node& node);

/// Op::convert. Types without a GLSL conversion are converted through float, with the functions of their Spelling.
std::string conversion(const ir::Node& node);

/// Op::convert of the f16 in a half of a word to f32, which needs no type of 16 bits: unpackHalf2x16(word).x. nullopt
/// for other conversions.
std::optional<std::string> half_of_word(const ir::Node& node);

/// Op::bitcast.
std::string bitcast(const ir::Node& node);

/// Op::dot4. The function takes the signs of the bytes from the types of the words.
std::string packed_dot(const ir::Node& node);

}  // namespace vkmoye::gen::glsl
