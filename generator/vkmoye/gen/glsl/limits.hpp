// SPDX-License-Identifier: MIT
#pragma once
// The minimum and maximum of two elements that are NaN if one is, as gen::Reduction makes them:
//
//   select(logical_or(less(b, a), is_nan(a)), a, b)        max_or_nan(a, b), a function of the shader

#include <string>

#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::glsl {

/// Whether `e` is such a select; its operands 1 and 2 are those of the function.
bool is_limit_or_nan(const ir::Node& e);

/// "max_or_nan" or "min_or_nan". Precondition of both: is_limit_or_nan(e).
const char* name_of_limit(const ir::Node& e);
/// The line that defines it for the type of `e`.
std::string definition_of_limit(const ir::Node& e);

}  // namespace vkmoye::gen::glsl
