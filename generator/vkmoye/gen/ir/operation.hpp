// SPDX-License-Identifier: MIT
#pragma once
// A table of the operations of expressions: the name of each, its function in GLSL, and the types it takes. A new
// operation needs an enumerator and a function in expr.hpp, an entry in this table, and its value in evaluate.cpp.
//
//   name_of(Op::exp)                     "exp"
//   type_error(*exp(x)), x of type f64   "exp of f64: it takes f16 or f32"

#include <optional>
#include <string>
#include <string_view>

#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::ir {

std::string_view name_of(Op op);

/// The GLSL function for `op`: "inversesqrt" for rsqrt; "" for operators and for those that are printed specially.
std::string_view glsl_function_of(Op op);

/// "index", "boolean", "f32", "f16 x4".
std::string name_of(const Type& type);

/// Whether shaders compute with elements of this type. Elements of other types are computed as arithmetic_type, except
/// 64-bit integers and complex numbers, which are only moved, as words.
bool is_arithmetic(ScalarType type);

/// The type in which operations on elements of `type` are computed: f32 for bf16, e4m3 and e5m2, i32 for i8 and i16,
/// u32 for u8 and u16, else `type` itself.
ScalarType arithmetic_type(ScalarType type);

/// Whether the operation computes with indices or elements: not a leaf, a choice, or a change of type.
bool takes_numbers(Op op);

/// An error message if the types of the operands do not fit the operation: it names the operation, the type and those
/// that would fit. nullopt if they fit.
std::optional<std::string> type_error(const Node& node);

}  // namespace vkmoye::gen::ir
