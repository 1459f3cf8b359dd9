// SPDX-License-Identifier: MIT
#pragma once
// Simplifies indices by the condition of the branch that contains them.
//
//   if (thread < 64u) { x[thread & 63u] = 0.0; }     ->     if (thread < 64u) { x[thread] = 0.0; }

#include <cstdint>
#include <vector>

#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::glsl {

/// An index that is below a number.
struct Below {
  ir::Expr index;
  std::uint64_t bound;
};

/// The indices that are known to be below a number where `condition` holds.
std::vector<Below> indices_below_numbers(const ir::Expr& condition);

/// `e` without the remainders that change nothing where all of `below` hold.
ir::Expr simplified(const ir::Expr& e, const std::vector<Below>& below);

}  // namespace vkmoye::gen::glsl
