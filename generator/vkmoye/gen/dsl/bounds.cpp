// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/bounds.hpp"

#include <algorithm>

#include "vkmoye/gen/ir/guards.hpp"

namespace vkmoye::gen {

Conditions all_of(std::initializer_list<Conditions> parts) {
  Conditions all;
  for (const Conditions& part : parts) {
    for (const Expr& condition : part) {
      const bool is_duplicate = std::any_of(
          all.begin(), all.end(), [&](const Expr& other) { return ir::same(other, condition); });
      if (!is_duplicate) all.push_back(condition);
    }
  }
  return all;
}

Expr conjunction(const Conditions& conditions) {
  Expr all = conditions.front();
  for (std::size_t i = 1; i < conditions.size(); ++i) all = ir::logical_and(all, conditions[i]);
  return all;
}

bool is_below(const Expr& coordinate, const Expr& end) {
  return ir::is_constant(end) && coordinate->bound <= end->value;
}

void require_below(Conditions& conditions, const Expr& coordinate, const Expr& end) {
  if (!is_below(coordinate, end)) conditions.push_back(ir::less(coordinate, end));
}

Expr end_of(const ArrayView& of, std::size_t axis) {
  return of.view.axes[axis].end.value_or(ir::extent_of(of.array->axes[axis]));
}

Conditions inside(const ArrayView& of) {
  Conditions conditions;
  for (std::size_t i = 0; i < of.view.axes.size(); ++i) {
    const View::Axis& axis = of.view.axes[i];
    const Expr end = end_of(of, i), first = origin(axis);
    const std::uint32_t beyond = to_index(cosize(axis.values) - 1);
    const Expr last = first + beyond;
    if (beyond < first->alignment || is_below(last, end)) {
      require_below(conditions, last, end);
    } else {  // last may wrap, so comparing it alone does not suffice
      conditions.push_back(ir::less(first, end));
      conditions.push_back(ir::less(beyond, end - first));
    }
  }
  return conditions;
}

Conditions begins_inside(const ArrayView& of) {
  Conditions conditions;
  for (std::size_t i = 0; i < of.view.axes.size(); ++i) {
    require_below(conditions, origin(of.view.axes[i]), end_of(of, i));
  }
  return conditions;
}

Conditions aligned(const ArrayView& of, std::uint32_t elements) {
  Conditions conditions;
  for (std::size_t i = 1; i < of.view.axes.size(); ++i) {
    const Expr& step = of.array->axes[i].stride;
    if (ir::is_multiple(step, elements, conditions)) continue;
    conditions.push_back(ir::equal(step % elements, 0));
  }
  return conditions;
}

}  // namespace vkmoye::gen
