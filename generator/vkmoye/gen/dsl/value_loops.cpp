// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/value_loops.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "vkmoye/gen/dsl/accesses.hpp"

namespace vkmoye::gen {

std::vector<ValueLoop> loops_over(const Layout& values, const Vector& vector,
                                  const std::vector<std::string>& names) {
  std::vector<ValueLoop> loops;
  const auto leaves = values.leaves();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const std::uint32_t step = i == vector.leaf ? vector.count : 1;
    const std::uint32_t count = to_index(leaves[i].extent) / step;
    if (count == 1) continue;
    loops.push_back({i, names.empty() ? fmt::format("v{}", i) : names[i], count, step});
  }
  return loops;
}

ir::Body nest(const std::vector<ValueLoop>& loops, ir::Unroll unroll, ir::Body inside) {
  for (const ValueLoop& loop : loops) {
    inside = ir::statements(ir::For{loop.variable, loop.iterations, std::move(inside), unroll});
  }
  return inside;
}

Expr loop_offset(const Layout& values, const std::vector<ValueLoop>& loops) {
  Expr sum = 0;
  const auto leaves = values.leaves();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    for (const ValueLoop& loop : loops) {
      if (loop.leaf == i) sum = sum + Expr(loop.step * to_index(leaves[i].stride)) * loop.index();
    }
  }
  return sum;
}

ir::Body for_each_value(const std::vector<ValueLoop>& loops, const ArrayView& to,
                        const std::vector<ArrayView>& from, const Iteration& iteration) {
  std::map<std::string, int> views;  // of each array: names of the second one get a number
  ir::Body body, inside;
  Conditions guards;
  std::vector<Expr> values;
  ir::Unroll unroll = ir::Unroll::free;
  const auto take = [&](const ArrayView& operand) {
    const std::string& array = operand.view.array;
    const int number = ++views[array];
    const std::string name = number == 1 ? array : fmt::format("{}{}", array, number);
    const ViewAccesses accesses = accesses_of(operand, {.name = name,
                                                        .loops = loops,
                                                        .vector = Vector{},
                                                        .outside = Outside::guarded,
                                                        .hoists = false});
    const ContiguousAccess& access = accesses.accesses.front();
    append(body, accesses.names_inside);
    guards = all_of({guards, access.inside});
    if (operand.array->is_registers()) unroll = ir::Unroll::always;
    return std::pair(access.element, name + "_value");
  };
  for (const ArrayView& operand : from) {
    const auto [element, name] = take(operand);
    inside.emplace_back(ir::Load{name, element});
    values.push_back(ir::variable(name, ir::element(operand.array->type)));
  }
  iteration(inside, take(to).first, values);
  if (!guards.empty()) {
    inside = ir::statements(ir::If{conjunction(guards), std::move(inside)});
  }
  append(body, inside);
  return nest(loops, unroll, std::move(body));
}

}  // namespace vkmoye::gen
