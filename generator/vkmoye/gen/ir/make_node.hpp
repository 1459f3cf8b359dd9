// SPDX-License-Identifier: MIT
#pragma once
// How expressions are made from others. Only expr.cpp and index_arithmetic.cpp include this.

#include <utility>
#include <vector>

#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::ir {

inline constexpr std::uint32_t kMaxAlignment = 1u << 31;  // that of 0

/// The expression of `node`, with its depth. Throws KernelError if that is more than kMaxDepth.
Expr make_node(Node node);
Expr make_node(Op op, Type type, std::vector<Expr> operands);

/// `a` and `b`. If one is a constant index and the other an element of a type in which shaders compute, the
/// constant is converted to that type.
std::pair<Expr, Expr> of_one_type(const Expr& a, const Expr& b);

/// The value of a constant index.
inline std::uint32_t value_of(const Expr& constant) {
  return static_cast<std::uint32_t>(constant->value);
}

}  // namespace vkmoye::gen::ir
