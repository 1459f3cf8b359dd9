// SPDX-License-Identifier: MIT
#pragma once
// The loops over the values of a thread.
//
//   values (4,2):(1,32), vectors of 4 along the first leaf
//     loops      v1 in 0..1, one value for each iteration
//     offset     32 * v1
//     nest       for (v1 ..) { inside }

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/width.hpp"
#include "vkmoye/gen/ir/stmt.hpp"
#include "vkmoye/layout/layout.hpp"

namespace vkmoye::gen {

/// A loop over one leaf of the value shape.
struct ValueLoop {
  std::size_t leaf;
  std::string variable;
  std::uint32_t iterations;
  std::uint32_t step;  // values of the leaf that an iteration moves

  Expr index() const { return ir::variable(variable, ir::kIndex, iterations); }
};

/// One loop for each leaf of the value shape that needs more than one iteration; an iteration moves
/// vector.count values of the vector's leaf, and one value of each other leaf. `names`: of the variables of the leaves,
/// if not v0, v1, ..
std::vector<ValueLoop> loops_over(const Layout& values, const Vector& vector,
                                  const std::vector<std::string>& names = {});

/// The part of values(v) that depends on the loop variables, in the order of the leaves. Precondition: `values` has the
/// leaves that the loops run over.
Expr loop_offset(const Layout& values, const std::vector<ValueLoop>& loops);

/// The loops around `inside`, the first innermost: by default, the first leaf varies fastest.
ir::Body nest(const std::vector<ValueLoop>& loops, ir::Unroll unroll, ir::Body inside);

/// Appends the statements of one iteration, given the element of the result and the value of each operand.
using Iteration =
    std::function<void(ir::Body&, const ir::Element& to, const std::vector<Expr>& values)>;

/// `loops` over the leaves of `to` and of the operands: these are loaded where all elements are inside their arrays.
/// Loops over registers are unrolled.
ir::Body for_each_value(const std::vector<ValueLoop>& loops, const ArrayView& to,
                        const std::vector<ArrayView>& from, const Iteration& iteration);

}  // namespace vkmoye::gen
