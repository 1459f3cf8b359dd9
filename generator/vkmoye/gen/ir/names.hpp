// SPDX-License-Identifier: MIT
#pragma once
// Which names a kernel may use: those that every shading language we print can.

#include <string>
#include <string_view>

namespace vkmoye::gen::ir {

/// Why a kernel cannot use `name`; empty: it can. Its names are letters, digits and single
/// underscores, not a digit first; no word that GLSL or one of its extensions keeps for itself (specification 4.60, sections 3.6 and 3.7: keywords, names with "gl_"
/// in front or "__" inside; GL_EXT_shader_explicit_arithmetic_types, GL_KHR_cooperative_matrix,
/// GL_KHR_shader_subgroup), no function that printed kernels call, nor a name that they define.
std::string reason_against_name(std::string_view name);

/// Whether moves call something so: `v0`, a loop over values; `value`, `value7`, what they carry;
/// `src_x4`, `src_words`, a buffer seen as vectors or words. Arrays, arguments and loops of an author are called otherwise.
bool is_name_of_moves(std::string_view name);

/// Those, for messages.
inline constexpr std::string_view kNamesOfMoves =
    "; theirs are v0, v1 .., value, value2 .., and what ends with _x and a number, or with _words";

/// Whether the Builder calls a value of its kernels so: block_x, thread, lane.
bool is_name_of_builder(std::string_view name);

/// What the block is called that the array of a buffer lives in: "src" -> "Src", "A" -> "A_block".
std::string block_name(std::string_view array);

}  // namespace vkmoye::gen::ir
