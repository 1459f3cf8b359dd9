// SPDX-License-Identifier: MIT
#pragma once
// The text of IR expressions in GLSL: precedence, shifts and masks, numbers. `print` in print.hpp prints a whole
// expression.

#include <string>
#include <vector>

#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::glsl {

/// "uint", "bool", "f16vec4".
std::string spell_type(const ir::Type& type);

/// `expression`, in parentheses unless it is a name, a call or a component.
std::string print_primary(const ir::Expr& expression);

/// "fma(a, b, c)".
std::string call(const std::string& function, const std::vector<ir::Expr>& operands);

/// `expression`, an element of bf16, as a float16_t with the same bits, and back; see spirv/bfloat16.hpp.
std::string print_as_half(const ir::Expr& expression);
std::string bits_of_half(const std::string& half);

}  // namespace vkmoye::gen::glsl
