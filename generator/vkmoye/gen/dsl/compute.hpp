// SPDX-License-Identifier: MIT
#pragma once
// Computing with the values of a thread: element by element, over views of one shape.
//
//   y (4,8), x (4,8), m (1,8)      y(i,j) = exp(x(i,j) - m(0,j))
//   k.apply(y, [](const Expr& x, const Expr& m) { return exp(x - m); }, x, m);
//
//   s (1,8), y (4,8)               s(0,j) = s(0,j) + y(0,j) + y(1,j) + y(2,j) + y(3,j)
//   k.accumulate(s, kSum, y);
//
// A mode of one value is taken for each value of the others' mode, as NumPy broadcasts: its layout
// gets stride 0. So a reduction is an operation onto a view that does not change along a mode.
// A function may also be given where each value lies:
//
//   y (4,8) registers, c (4,8) of C (n,m)       y(i,j) = x(i,j) where m < n, else 0
//   k.apply(y, c, [](values, at) { return select(less(at[1], at[0]), values[0], 0); }, {x});
//
// Operations on elements are those of ir/expr.hpp: + - * /, minimum, exp, select, convert, number.

#include <functional>
#include <vector>

#include "vkmoye/gen/dsl/combination.hpp"
#include "vkmoye/gen/dsl/view.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// An element of the result from one of each operand.
using ElementFunction = std::function<Expr(const std::vector<Expr>&)>;

/// The same with the coordinates of the element along each axis of an array.
using PlacedFunction =
    std::function<Expr(const std::vector<Expr>& values, const std::vector<Expr>& at)>;

/// The same as statements that come before, and the element.
struct Computed {
  ir::Body before;
  Expr value;
};
using Computation =
    std::function<Computed(const std::vector<Expr>& values, const std::vector<Expr>& at)>;

/// `view` in `shape`: modes of one value are repeated. Throws LayoutError naming the mode that is
/// neither one value nor the mode of `shape`. A view of one value fits every shape.
View broadcast(const View& view, const IntTuple& shape);

/// `view` with another mode of shape `extent` before mode `mode`, along which nothing changes.
View repeat(const View& view, int mode, const IntTuple& extent);

/// The values of `view` whose coordinate along the modes `modes` is 0; these modes have one value.
View first_along(const View& view, const std::vector<int>& modes);

/// Parts of `part` that cover `extent`: 0 of 0.
Expr ceil_div(const Expr& extent, std::uint32_t part);

/// A view and the array that it looks at.
struct Operand {
  View view;
  const ir::Array* array;
};

/// to(v) = compute((from[0](v), ..), coordinates of at(v)) for each value v of `to`, as operands and
/// `at` broadcast to its shape. Elements outside a buffer are not computed; `at` is not looked at and
/// may be outside. Loops over registers are unrolled. Throws LayoutError where a shape does not fit.
ir::Block apply_statements(const Operand& to, const View& at, const Computation& compute,
                           const std::vector<Operand>& from);

/// to(v) = combination(to(v), from(w)) for each value w of `from`, in order, v = w where `to` has
/// more than one value along a mode. `from` is converted to the type of `to`, which is combined.
/// Throws LayoutError where `to` does not broadcast to the shape of `from`.
ir::Block accumulate_statements(const Operand& to, Combination combination, const Operand& from);

/// to(v) = combination(to(v), from(v)) without another invocation between; as apply_statements.
ir::Block atomic_statements(const Operand& to, Combination combination, const Operand& from);

}  // namespace vkmoye::gen
