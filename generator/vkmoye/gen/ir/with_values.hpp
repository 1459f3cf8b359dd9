// SPDX-License-Identifier: MIT
#pragma once
// Expressions with values in place of variables:
//
//   with_values(n % 4 == 0 && n < m, {{"n", 8 * k}})     8 * k % 4 == 0 && 8 * k < m

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::ir {

/// Values of variables, by name.
using Values = std::map<std::string, Expr>;

/// Whether values are also replaced in conditions and data, or only in indices.
enum class Where : std::uint8_t { anywhere, in_indices };

/// `e` with the variables in `values` replaced. `done`: what was replaced already, with the same `values`.
inline Expr with_values(const Expr& e, const Values& values,
                        std::unordered_map<const Node*, Expr>& done,
                        Where where = Where::anywhere) {
  if (const auto known = done.find(&*e); known != done.end()) return known->second;
  Expr out = e;
  if (e->op == Op::variable) {
    const auto found = values.find(e->name);
    if (found != values.end()) out = found->second;
  } else if (!e->operands.empty() &&
             (where == Where::anywhere || e->type.kind == Type::Kind::index)) {
    std::vector<Expr> operands;
    for (const Expr& one : e->operands) operands.push_back(with_values(one, values, done, where));
    out = with_operands(e, operands);
  }
  done.emplace(&*e, out);
  return out;
}

inline Expr with_values(const Expr& e, const Values& values, Where where = Where::anywhere) {
  std::unordered_map<const Node*, Expr> done;
  return with_values(e, values, done, where);
}

}  // namespace vkmoye::gen::ir
