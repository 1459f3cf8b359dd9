// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/combination.hpp"

#include <limits>

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
  if (op == Op::add) return ir::number(type, 0);
  const bool is_least = op == Op::minimum;
  switch (type) {
    case ScalarType::i32:
      return ir::number(type, is_least ? std::numeric_limits<std::int32_t>::max()
                                       : std::numeric_limits<std::int32_t>::min());
    case ScalarType::u32:
      return ir::number(type, is_least ? std::numeric_limits<std::uint32_t>::max() : 0);
    default: {
      const double infinity = std::numeric_limits<double>::infinity();
      return ir::number(type, is_least ? infinity : -infinity);
    }
  }
}

const char* Combination::name() const {
  switch (op) {
    case Op::minimum: return "least";
    case Op::maximum: return "largest";
    default: return "sum";
  }
}

}  // namespace vkmoye::gen
