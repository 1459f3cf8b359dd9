// SPDX-License-Identifier: MIT
#pragma once
// The text of parts of statements: addresses of elements, matrices, calls of subgroup operations.

#include <string>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen::glsl {

/// Whether `array` are registers that hold one element, or one vector; in the shader, these are not an array.
bool is_single(const ir::Array& array);

/// The offset of the first element of `element` in its array, in elements.
ir::Expr address_of(const ir::Element& element, const ir::Array& array);

/// The text of that offset in bytes, as 64 bits; parts that fit a 32-bit index are computed in 32 bits.
std::string bytes_to(const ir::Element& element, const ir::Array& array);

/// "coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>".
std::string matrix_name(const ir::Array& array);

/// "sums[j]".
std::string subscript(const std::string& array, const ir::Expr& index);

/// "sums[j] = coopMatMulAdd(a[0], b[0], sums[j]);".
std::string matrix_statement(const ir::MatrixLoad& s, const ir::Kernel& kernel);
std::string matrix_statement(const ir::MatrixStore& s, const ir::Kernel& kernel);
std::string matrix_statement(const ir::MatrixFill& s, const ir::Kernel& kernel);
std::string matrix_statement(const ir::MatrixMultiply& s, const ir::Kernel& kernel);

/// "subgroupAdd(x)".
std::string subgroup_call(const ir::Subgroup& s);

/// "  // ceil(keys / 32)" if `e` is a quotient rounded up, in one of the two ways in which it is computed:
/// keys / 32 + min(keys % 32, 1), (keys - 1) / 32 + 1. Otherwise nothing.
std::string comment_on_rounding_up(const ir::Expr& e);

/// "[[unroll]] ", or nothing.
const char* unroll_text(ir::Unroll unroll);

}  // namespace vkmoye::gen::glsl
