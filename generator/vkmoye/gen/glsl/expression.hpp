// SPDX-License-Identifier: MIT
#pragma once
// Spells expressions of the kernel IR in GLSL: precedence, shifts and masks, numbers, packed vectors.
// `print` in print.hpp spells one whole.

#include <string>
#include <vector>

#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::glsl {

/// "uint", "bool", "f16vec4".
std::string spell_type(const ir::Type& type);

/// "fma(a, b, c)".
std::string call(const std::string& function, const std::vector<ir::Expr>& operands);

/// `expression`, an element of bf16, as the float16_t that has its bits; and back: spirv/bfloat16.hpp.
std::string print_as_half(const ir::Expr& expression);
std::string bits_of_half(const std::string& half);

}  // namespace vkmoye::gen::glsl
