// SPDX-License-Identifier: MIT
#pragma once
// Element-wise computation with the values of a thread, over views of one shape.
//
//   y (4,8), x (4,8), m (1,8)      y(i,j) = exp(x(i,j) - m(0,j))
//   k.apply(y, [](const Expr& x, const Expr& m) { return exp(x - m); }, x, m);
//
//   s (1,8), y (4,8)               s(0,j) = s(0,j) + y(0,j) + y(1,j) + y(2,j) + y(3,j)
//   k.accumulate(s, kSum, y);
//
// Modes of extent 1, and modes that an operand lacks at the end, are broadcast as in NumPy (whose first
// axis is our last): the layout gets stride 0. A reduction is therefore an operation whose result has
// stride 0 along a mode. A function may also take the coordinates of each value:
//
//   y (4,8) registers, c (4,8) of C (n,m)       y(i,j) = x(i,j) where m < n, else 0
//   k.apply(y, c, [](values, at) { return select(less(at[1], at[0]), values[0], 0); }, {x});
//
// Operations on elements are those of ir/expr.hpp: + - * /, minimum, exp, select, convert, number.

#include <functional>
#include <vector>

#include "vkmoye/gen/dsl/reduction.hpp"
#include "vkmoye/gen/dsl/view.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// Computes an element of the result from one element of each operand.
using ElementFunction = std::function<Expr(const std::vector<Expr>&)>;

/// An ElementFunction that also takes `at`, the coordinates of the element along each axis of its array.
using PlacedFunction =
    std::function<Expr(const std::vector<Expr>& values, const std::vector<Expr>& at)>;

/// An element, and the statements that compute it.
struct Computed {
  ir::Body before;
  Expr value;
};
/// A PlacedFunction whose result may need statements before it.
using Computation =
    std::function<Computed(const std::vector<Expr>& values, const std::vector<Expr>& at)>;

/// `view` broadcast to `shape`: modes of extent 1 are repeated, and so are modes that it lacks at the end: (4) is the
/// same for each j of (4,8). Throws LayoutError naming each mode that neither has extent 1 nor matches `shape`. A view
/// of one value broadcasts to every shape.
View broadcast(const View& view, const IntTuple& shape);

/// `view` with a mode of shape `extent` and stride 0 inserted before mode `mode`.
View repeat(const View& view, int mode, const IntTuple& extent);

/// The values of `view` whose coordinate along the modes `modes` is 0; these modes get extent 1.
View first_along(const View& view, const std::vector<int>& modes);

/// A value as the title of a statement shows it: a number, or a name.
std::string value_name(const Expr& value);

/// to(v) = compute((from[0](v), ..), coordinates of at(v)) for each value v of `to`; the operands and
/// `at` are broadcast to its shape. Elements outside a buffer are skipped; `at` is not accessed and may
/// be outside. Loops over registers are unrolled. Throws LayoutError if a shape does not broadcast.
ir::Titled apply_statements(const ArrayView& to, const View& at, const Computation& compute,
                            const std::vector<ArrayView>& from);

/// to(v) = reduction(to(v), from(w)) for each value w of `from`, in order; v = w along each mode
/// where `to` has more than one value. `from` is converted to the type of `to` before it is combined.
/// Throws LayoutError if `to` does not broadcast to the shape of `from`.
ir::Titled accumulate_statements(const ArrayView& to, Reduction reduction, const ArrayView& from);

/// to(v) = reduction(to(v), from(v)), atomically; otherwise as apply_statements.
ir::Titled atomic_statements(const ArrayView& to, Reduction reduction, const ArrayView& from);

}  // namespace vkmoye::gen
