// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/guards.hpp"

#include <algorithm>
#include <bit>

#include "vkmoye/gen/ir/assumptions.hpp"
#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/with_values.hpp"

namespace vkmoye::gen::ir {

void add_guards(Guards& guards, const Expr& condition) {
  if (condition->op == Op::less || condition->op == Op::equal || condition->op == Op::not_equal) {
    guards.push_back(condition);
  }
  if (condition->op == Op::not_equal && condition->operands[0]->type == kIndex &&
      is_constant(condition->operands[1], 0)) {
    guards.push_back(less(0, condition->operands[0]));
  }
  if (condition->op == Op::logical_not) add_guards_of_failure(guards, condition->operands[0]);
  if (condition->op == Op::logical_and) {
    add_guards(guards, condition->operands[0]);
    add_guards(guards, condition->operands[1]);
  }
}

void add_guards_of_failure(Guards& guards, const Expr& condition) {
  const auto& operands = condition->operands;
  if (condition->op == Op::logical_not) add_guards(guards, operands[0]);
  if (condition->op == Op::not_equal) guards.push_back(equal(operands[0], operands[1]));
  if (condition->op == Op::less) guards.push_back(logical_not(condition));
  if (condition->op == Op::equal && operands[0]->type == kIndex && is_constant(operands[1], 0)) {
    guards.push_back(less(0, operands[0]));
  }
  if (condition->op == Op::logical_or) {
    add_guards_of_failure(guards, operands[0]);
    add_guards_of_failure(guards, operands[1]);
  }
}

void add_guards(Guards& guards, const NestedBody& inner) {
  if (inner.repeats) {
    guards.push_back(less(inner.defines.front().value, *inner.condition));
  } else if (inner.holds) {
    add_guards(guards, *inner.condition);
  } else if (inner.condition != nullptr) {
    add_guards_of_failure(guards, *inner.condition);
  }
}

Guards guards_of_launch(const Kernel& kernel) {
  constexpr Builtin kGroups[] = {Builtin::group_x, Builtin::group_y, Builtin::group_z};
  Guards guards;
  for (std::size_t i = 0; i < kernel.grid.size(); ++i) {
    const GridDimension& dimension = kernel.grid[i];
    const Extent& extent = dimension.extent;
    if (!extent.is_symbol()) continue;
    const Expr group = builtin(kGroups[i]) + variable(kFirstGroup[i]);
    guards.push_back(less(to_index(dimension.tile) * group, expression(extent)));
    if (extent.per > 1) {
      guards.push_back(
          less(to_index(dimension.tile * extent.per) * group, expression(extent.whole())));
    }
    if (dimension.tile > 1)
      guards.push_back(less(group, ceil_div(expression(extent), dimension.tile)));
    for (const std::string& name : extent.arguments()) guards.push_back(less(0, variable(name)));
    if (extent.times.empty()) continue;
    guards.push_back(less(0, expression(extent)));  // a launch checks that it does not wrap
  }
  for (const Assume& assume : assumptions_of_launch(kernel)) add_guards(guards, assume.condition);
  return guards;
}

namespace {

// Whether the index `e` is 0 wherever `value` is.
bool vanishes_with(const Expr& e, const Expr& value) {
  if (is_constant(e, 0) || same(e, value)) return true;
  if (e->type != kIndex) return false;
  const auto part = [&](std::size_t i) { return vanishes_with(e->operands[i], value); };
  switch (e->op) {
    case Op::add:
    case Op::maximum: return part(0) && part(1);
    case Op::multiply:
    case Op::minimum: return part(0) || part(1);
    case Op::divide:
    case Op::modulo: return part(0);
    case Op::subtract: {  // max(a, b) - b, what is left of a
      const Expr &most = e->operands[0], &taken = e->operands[1];
      return most->op == Op::maximum && same(most->operands[1], taken) &&
             vanishes_with(most->operands[0], value);
    }
    default: return false;
  }
}

}  // namespace

bool is_positive(const Expr& value, const Guards& guards, const Definitions& definitions) {
  if (is_constant(value)) return value->value != 0;
  if (value->op == Op::maximum) {
    return std::any_of(value->operands.begin(), value->operands.end(),
                       [&](const Expr& one) { return is_positive(one, guards, definitions); });
  }
  if (value->op == Op::divide && is_constant(value->operands[1]) &&
      is_multiple(value->operands[0], value->operands[1]->value, guards)) {
    return is_positive(value->operands[0], guards, definitions);
  }
  // A sum of which one term is, if it does not wrap.
  if (value->op == Op::add && is_constant(value->operands[1]) && value->operands[1]->value > 0) {
    const std::uint64_t room = kUnbounded - value->operands[1]->value;
    const auto is_room = [&](const Expr& guard) {
      return guard->op == Op::less && is_constant(guard->operands[1]) &&
             guard->operands[1]->value <= room && same(guard->operands[0], value->operands[0]);
    };
    if (value->operands[0]->bound <= room || std::any_of(guards.begin(), guards.end(), is_room)) {
      return true;
    }
  }
  return std::any_of(guards.begin(), guards.end(), [&](const Expr& guard) {
    return guard->op == Op::less && guard->operands[1]->type == kIndex &&
           vanishes_with(expand(guard->operands[1], definitions), value);
  });
}

bool is_multiple(const Expr& value, std::uint32_t factor, const Guards& guards) {
  if (value->alignment % factor == 0) return true;
  // A product is a multiple of a power of two if one of its factors is, even if it wraps.
  if (value->op == Op::multiply && std::has_single_bit(factor) &&
      std::any_of(value->operands.begin(), value->operands.end(),
                  [&](const Expr& part) { return is_multiple(part, factor, guards); })) {
    return true;
  }
  return std::any_of(guards.begin(), guards.end(), [&](const Expr& guard) {
    if (guard->op != Op::equal || !is_constant(guard->operands[1], 0)) return false;
    const Expr& remainder = guard->operands[0];
    return remainder->op == Op::modulo && is_constant(remainder->operands[1]) &&
           remainder->operands[1]->value % factor == 0 && same(remainder->operands[0], value);
  });
}

Expr expand(const Expr& e, const Definitions& definitions) {
  return with_values(e, definitions, Where::in_indices);
}

void add_definition(Definitions& definitions, const std::string& name, const Expr& value) {
  // expand makes the coordinate of a group anew, without the bound that the grid gave it.
  definitions.insert_or_assign(name, bounded(expand(value, definitions), value->bound));
}

}  // namespace vkmoye::gen::ir
