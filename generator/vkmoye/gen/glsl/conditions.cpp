// SPDX-License-Identifier: MIT
#include "vkmoye/gen/glsl/conditions.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace vkmoye::gen::glsl {

using ir::Expr;

std::vector<Below> indices_below_numbers(const Expr& condition) {
  if (condition->op == ir::Op::logical_and) {
    std::vector<Below> found = indices_below_numbers(condition->operands[0]);
    for (Below& one : indices_below_numbers(condition->operands[1]))
      found.push_back(std::move(one));
    return found;
  }
  if (condition->op != ir::Op::less || !ir::is_constant(condition->operands[1])) return {};
  const Expr& index = condition->operands[0];
  if (!(index->type == ir::kIndex)) return {};
  return {{index, condition->operands[1]->value}};
}

Expr simplified(const Expr& e, const std::vector<Below>& below) {
  if (e->operands.empty()) return e;
  if (e->op == ir::Op::modulo && ir::is_constant(e->operands[1])) {
    const Expr& index = e->operands[0];
    const auto known = std::find_if(below.begin(), below.end(), [&](const Below& one) {
      return one.bound <= e->operands[1]->value && ir::same(one.index, index);
    });
    if (known != below.end()) return index;
  }
  ir::Node node = *e;
  bool has_changed = false;
  for (Expr& operand : node.operands) {
    Expr now = simplified(operand, below);
    has_changed = has_changed || &*now != &*operand;
    operand = std::move(now);
  }
  return has_changed ? Expr(std::make_shared<const ir::Node>(std::move(node))) : e;
}

}  // namespace vkmoye::gen::glsl
