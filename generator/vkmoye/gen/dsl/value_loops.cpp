// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/value_loops.hpp"

#include <fmt/format.h>

#include <utility>

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

}  // namespace vkmoye::gen
