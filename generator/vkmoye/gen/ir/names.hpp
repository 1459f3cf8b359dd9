#pragma once
// Which names a kernel may use: those that every shading language we print can.

#include <string_view>

namespace vkmoye::gen::ir {

/// Letters, digits and single underscores, not a digit first; no word that GLSL keeps for itself
/// (specification 4.60, sections 3.6 and 3.7: keywords, names with "gl_" in front or "__" inside),
/// nor one of the few names that printed kernels define.
bool is_usable_name(std::string_view name);

}  // namespace vkmoye::gen::ir
