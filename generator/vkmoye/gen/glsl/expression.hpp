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

}  // namespace vkmoye::gen::glsl
