// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/value_loops.hpp"

#include <fmt/format.h>

#include <utility>

namespace vkmoye::gen {

std::vector<Round> rounds_over(const Layout& values, const Vector& vector) {
  std::vector<Round> rounds;
  const auto leaves = values.leaves();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const std::uint32_t step = i == vector.leaf ? vector.count : 1;
    const std::uint32_t count = to_index(leaves[i].extent) / step;
    if (count > 1) rounds.push_back({i, fmt::format("v{}", i), count, step});
  }
  return rounds;
}

ir::Body nest(const std::vector<Round>& rounds, bool unroll, ir::Body inside) {
  for (const Round& round : rounds) {
    inside = ir::statements(ir::For{round.variable, round.rounds, std::move(inside),
                                    unroll ? ir::Unroll::always : ir::Unroll::free});
  }
  return inside;
}

Expr change_of(const Layout& values, const std::vector<Round>& rounds) {
  Expr sum = 0;
  const auto leaves = values.leaves();
  for (const Round& round : rounds) {
    sum = sum + Expr(round.step * to_index(leaves[round.leaf].stride)) * round.index();
  }
  return sum;
}

}  // namespace vkmoye::gen
