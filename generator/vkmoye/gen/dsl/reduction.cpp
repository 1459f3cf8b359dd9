// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/reduction.hpp"

#include <fmt/format.h>

#include "vkmoye/gen/ir/reduction_op.hpp"

namespace vkmoye::gen {

using ir::Expr;
using ir::Op;

bool Reduction::is_native(const ir::Type& type) const {
  return op == Op::add || may_lose_nan || type == ir::kIndex || !is_floating(type.element);
}

Expr Reduction::operator()(const Expr& a, const Expr& b) const {
  if (op == Op::add) return a + b;
  if (is_native(a->type)) return op == Op::minimum ? minimum(a, b) : maximum(a, b);
  const Expr keeps_a = op == Op::minimum ? less(a, b) : less(b, a);
  return select(logical_or(keeps_a, is_nan(a)), a, b);
}

Expr Reduction::neutral(ScalarType type) const {
  return ir::number(type, ir::reduction_op(op)->neutral(type));
}

const char* Reduction::name() const { return ir::reduction_op(op)->name; }

std::string Reduction::title(const std::string& name, const std::string& value) const {
  if (op == Op::add) return fmt::format("{} += {}", name, value);
  return fmt::format("{0} <- {1}({0}, {2})", name, op == Op::minimum ? "min" : "max", value);
}

}  // namespace vkmoye::gen
