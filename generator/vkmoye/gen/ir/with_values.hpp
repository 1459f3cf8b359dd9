// SPDX-License-Identifier: MIT
#pragma once
// Expressions with values in place of variables:
//
//   with_values(n % 4 == 0 && n < m, {{"n", 8 * k}})     8 * k % 4 == 0 && 8 * k < m

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::ir {

/// Values of variables, by name.
using Values = std::map<std::string, Expr>;

/// `e` with the variables in `values` replaced. `done`: what was replaced already, with the same `values`. Unlike
/// `expand` of guards.hpp, which is for indices, it also looks into conditions and data.
inline Expr with_values(const Expr& e, const Values& values,
                        std::unordered_map<const Node*, Expr>& done) {
  if (const auto known = done.find(&*e); known != done.end()) return known->second;
  Expr out = e;
  if (e->op == Op::variable) {
    const auto found = values.find(e->name);
    if (found != values.end()) out = found->second;
  } else if (!e->operands.empty()) {
    std::vector<Expr> operands;
    for (const Expr& one : e->operands) operands.push_back(with_values(one, values, done));
    out = with_operands(e, operands);
  }
  done.emplace(&*e, out);
  return out;
}

inline Expr with_values(const Expr& e, const Values& values) {
  std::unordered_map<const Node*, Expr> done;
  return with_values(e, values, done);
}

}  // namespace vkmoye::gen::ir
