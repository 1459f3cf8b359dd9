// SPDX-License-Identifier: MIT
#pragma once
// What a kernel declares before its first statement: the grid and the arrays, their names, extents,
// strides and vectors. What the statements do with them is checked in scope.cpp.

#include <functional>
#include <string>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// Takes one reason why a kernel is wrong.
using TakeReason = std::function<void(const std::string&)>;
/// Checks the names and types in an expression that `where` names.
using UseExpression = std::function<void(const ir::Expr&, const std::string& where)>;

/// Gives every reason against the grid and the arrays to `take`, and each of their extents and
/// strides to `use`.
void check_declarations(const ir::Kernel& kernel, const TakeReason& take, const UseExpression& use);

/// How messages call a stride: a number, the name of an argument, or a product.
std::string text_of_stride(const ir::Expr& stride);

}  // namespace vkmoye::gen
