// SPDX-License-Identifier: MIT
#pragma once
// The loops over the values of a thread.
//
//   values (4,2):(1,32), 4 of the first leaf at once
//     rounds     v1 in 0..1, in steps of 1
//     change     32 * v1
//     nest       for (v1 ..) { inside }

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/width.hpp"
#include "vkmoye/gen/ir/stmt.hpp"
#include "vkmoye/layout/layout.hpp"

namespace vkmoye::gen {

/// A loop over one leaf of the value shape.
struct Round {
  std::size_t leaf;
  std::string variable;
  std::uint32_t rounds;
  std::uint32_t step;  // values of the leaf that a round moves

  Expr index() const { return ir::variable(variable, ir::kIndex, rounds); }
};

/// One loop for each leaf of the value shape that has more than one value; over the vector's leaf in
/// steps of its count.
std::vector<Round> rounds_over(const Layout& values, const Vector& vector);

/// The part of what `values`, of that shape, gives that changes with the loops.
Expr change_of(const Layout& values, const std::vector<Round>& rounds);

/// `inside` in each of `rounds`; the first leaf varies fastest: its loop is the innermost.
ir::Body nest(const std::vector<Round>& rounds, bool unroll, ir::Body inside);

}  // namespace vkmoye::gen
