// SPDX-License-Identifier: MIT
#pragma once
// The names that a kernel may use: identifiers that GLSL and the printed shader leave free.

#include <string>
#include <string_view>

namespace vkmoye::gen::ir {

/// Why a kernel cannot use `name`; empty if it can. A name consists of letters, digits and single underscores, and does
/// not begin with a digit. It must not be a word that GLSL or one of its extensions reserves (specification 4.60,
/// 3.6 and 3.7: keywords, names that begin with "gl_" or contain "__"; GL_EXT_shader_explicit_arithmetic_types,
/// GL_KHR_cooperative_matrix, GL_KHR_shader_subgroup), a function that printed kernels call, or a name that they
/// define.
std::string reason_against_name(std::string_view name);

/// Whether copies and computations generate such a name: `v0` for a loop over values; `value`, `value7` for values;
/// `src_x4`, `src_words` for a buffer accessed as vectors or words. Arrays, arguments and loops of an author must have
/// other names.
bool is_name_of_moves(std::string_view name);

/// A list of these names, for messages.
inline constexpr std::string_view kNamesOfMoves =
    "; their names are v0, v1 .., value, value2 .., value_x, value2_w .., and those that end with "
    "_x and a number, or with _words";

/// Whether the Builder defines such a name: block_x, thread, lane.
bool is_name_of_builder(std::string_view name);

/// The name of the buffer block that declares `array`: "src" -> "Src", "A" -> "A_block".
std::string block_name(std::string_view array);

}  // namespace vkmoye::gen::ir
