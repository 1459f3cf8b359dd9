// SPDX-License-Identifier: MIT
#pragma once
// The part of a shader before main(): its comment, extensions, buffers, arguments and shared arrays. Also the names and
// widths of arrays, on which declarations and accesses must agree.

#include <string>

#include "vkmoye/gen/glsl/lines.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen::glsl {

void print_declarations(const ir::Kernel& kernel, Lines& out);

/// The name of an array for accesses in vectors of `width`: src_x4; for words: src_words_x4.
std::string array_name(const std::string& array, std::uint32_t width, bool as_words = false);

/// A shared array is declared with the widest vectors of any access to it.
std::uint32_t shared_width(const ir::Kernel& kernel, const ir::Array& array);

/// The declaration of registers, in a kernel with `lanes` lanes in a subgroup: "float sums[8];  // (4,2):(1,4)".
std::string register_declaration(const ir::Array& array, std::uint32_t lanes);

/// The element type of matrices in GLSL: bf16 is written as f16, and changed in the SPIR-V, see spirv/bfloat16.hpp.
ScalarType spelled_as(ScalarType type);

}  // namespace vkmoye::gen::glsl
