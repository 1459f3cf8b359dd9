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

Expr end_of(const View& view, const ir::Array& array, std::size_t axis) {
  return view.axes[axis].end.value_or(ir::extent_of(array.axes[axis]));
}

Conditions inside(const View& view, const ir::Array& array) {
  Conditions conditions;
  for (std::size_t i = 0; i < view.axes.size(); ++i) {
    const View::Axis& axis = view.axes[i];
    const Expr extent = end_of(view, array, i), first = origin(axis);
    const std::uint32_t beyond = to_index(cosize(axis.values) - 1);
    const Expr last = first + beyond;
    if (ir::is_constant(extent) && last->bound <= extent->value) continue;
    if (beyond < first->alignment) {
      conditions.push_back(ir::less(last, extent));
    } else {  // last may wrap, so comparing it alone does not suffice
      conditions.push_back(ir::less(first, extent));
      conditions.push_back(ir::less(beyond, extent - first));
    }
  }
  return conditions;
}

Conditions begins_inside(const View& view, const ir::Array& array) {
  Conditions conditions;
  for (std::size_t i = 0; i < view.axes.size(); ++i) {
    const Expr first = origin(view.axes[i]), extent = end_of(view, array, i);
    if (ir::is_constant(extent) && first->bound <= extent->value) continue;
    conditions.push_back(ir::less(first, extent));
  }
  return conditions;
}

Conditions aligned(const View& view, const ir::Array& array, std::uint32_t elements) {
  Conditions conditions;
  for (std::size_t i = 1; i < view.axes.size(); ++i) {
    const Expr& step = array.axes[i].stride;
    if (ir::is_multiple(step, elements, conditions)) continue;
    conditions.push_back(ir::equal(step % elements, 0));
  }
  return conditions;
}

}  // namespace vkmoye::gen
