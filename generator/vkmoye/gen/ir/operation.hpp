// SPDX-License-Identifier: MIT
#pragma once
// The operations of expressions as rows of data: what each is called, here and in GLSL, and which types it takes. A new
// operation is an enumerator and a function in expr.hpp, a row here, and its value in meaning.cpp.
//
//   name_of(Op::exp)                     "exp"
//   type_error(*exp(x)), x of type f64   "exp of f64: it takes f16 or f32"

#include <optional>
#include <string>
#include <string_view>

#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::ir {

std::string_view name_of(Op op);

/// The function of GLSL that computes it, "inversesqrt" of rsqrt; "" for operators and for what is spelled apart.
std::string_view glsl_function_of(Op op);

/// "index", "boolean", "f32", "f16 x4".
std::string name_of(const Type& type);

/// Whether shaders compute with elements of this type. The others are moved only: small integers
/// are converted to i32 or u32 first, 64-bit integers and complex numbers travel as words.
bool is_arithmetic(ScalarType type);

/// What is wrong with the types of the operands, naming the operation, the operand and what would
/// fit; nothing: they fit.
std::optional<std::string> type_error(const Node& node);

}  // namespace vkmoye::gen::ir
