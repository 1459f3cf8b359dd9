// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/combination.hpp"

#include "vkmoye/gen/ir/combining.hpp"

namespace vkmoye::gen {

using ir::Expr;
using ir::Op;

bool Combination::is_native(const ir::Type& type) const {
  return op == Op::add || type == ir::kIndex || !is_floating(type.element);
}

Expr Combination::operator()(const Expr& a, const Expr& b) const {
  if (op == Op::add) return a + b;
  if (is_native(a->type)) return op == Op::minimum ? minimum(a, b) : maximum(a, b);
  const Expr keeps_a = op == Op::minimum ? less(a, b) : less(b, a);
  return select(logical_or(keeps_a, is_nan(a)), a, b);
}

Expr Combination::neutral(ScalarType type) const {
  return ir::number(type, ir::combining(op)->neutral(type));
}

const char* Combination::name() const { return ir::combining(op)->name; }

}  // namespace vkmoye::gen
