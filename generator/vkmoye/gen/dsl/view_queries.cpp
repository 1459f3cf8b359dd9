// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/view_queries.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/ir/guards.hpp"
#include "vkmoye/gen/ir/recurrence.hpp"
#include "vkmoye/layout/coalesce.hpp"

namespace vkmoye::gen {
namespace {

void add_names(const Expr& e, ir::Definitions& names) {
  if (e->op == ir::Op::variable) names.emplace(e->name, 0);
  for (const Expr& operand : e->operands) add_names(operand, names);
}

// The value of `e` in thread number `thread`, with all other variables 0.
std::int64_t value_in(const Expr& e, std::uint32_t thread) {
  ir::Definitions names;
  add_names(e, names);
  names.insert_or_assign("thread", Expr(thread));
  return static_cast<std::int64_t>(ir::expand(e, names)->value);
}

bool mentions(const Expr& e, const std::string& variable) {
  return (e->op == ir::Op::variable && e->name == variable) ||
         std::any_of(e->operands.begin(), e->operands.end(),
                     [&](const Expr& operand) { return mentions(operand, variable); });
}

// The stride of mode `mode` of the values, in elements; nullopt if it has no single stride.
std::optional<Expr> stride_of(const View& view, const ir::Array& array, int mode) {
  Expr stride = 0;
  for (std::size_t i = 0; i < view.axes.size(); ++i) {
    const Layout along = coalesce(view.axes[i].values.mode(mode));
    if (along.leaves().size() != 1) return std::nullopt;
    stride = stride + Expr(to_index(along.leaves()[0].stride)) * array.axes[i].stride;
  }
  return stride;
}

}  // namespace

std::vector<std::vector<std::int64_t>> owned_by(const View& view, std::uint32_t thread) {
  std::vector<std::vector<std::int64_t>> out(static_cast<std::size_t>(size(view.shape())));
  for (const View::Axis& axis : view.axes) {
    const std::int64_t first = value_in(origin(axis), thread);
    for (std::size_t v = 0; v < out.size(); ++v) {
      out[v].push_back(view.swizzle(first + axis.values(static_cast<std::int64_t>(v))));
    }
  }
  return out;
}

std::optional<Ring> ring_of(const View& view, const std::string& variable) {
  std::optional<Ring> ring;
  for (std::size_t i = 0; i < view.axes.size(); ++i) {
    for (const View::FixedMode& one : view.axes[i].fixed) {
      if (!mentions(one.index, variable)) continue;
      const Layout mode = coalesce(one.mode);
      const auto recurrence =
          ir::recurrence_of(one.index, {{variable, ir::recurrence_of_rounds(ir::variable("end"))}});
      const bool comes_round =
          i == 0 && !ring && mode.leaves().size() == 1 && recurrence && recurrence->step == 0;
      if (!comes_round) return std::nullopt;
      ring = Ring{static_cast<std::int64_t>(recurrence->period), mode.leaves()[0].stride};
    }
  }
  return ring;
}

MatrixOrReason as_matrix(const View& view, const ir::Array& array) {
  const auto none = [&](const std::string& reason) {
    return MatrixOrReason{std::nullopt, fmt::format("{} is not a matrix: {}", view.name, reason)};
  };
  if (view.swizzle.bits() > 0) return none("because of the swizzle it has no single stride");
  const IntTuple shape = view.shape();
  if (shape.rank() != 2) {
    return none(fmt::format("the shape {} has rank {}, not 2", to_string(shape), shape.rank()));
  }
  MatrixInMemory matrix;
  for (int mode = 0; mode < 2; ++mode) {
    const auto stride = stride_of(view, array, mode);
    if (!stride) {
      std::vector<std::string> layouts;
      for (const View::Axis& axis : view.axes) layouts.push_back(to_string(axis.values.mode(mode)));
      return none(fmt::format("mode {}, {}, has no single stride", mode, join(layouts, " and ")));
    }
    (mode == 0 ? matrix.rows : matrix.columns) = *stride;
  }
  const bool by_rows = !ir::is_constant(matrix.rows, 1);
  const Expr& contiguous = by_rows ? matrix.columns : matrix.rows;
  const Expr& leading = by_rows ? matrix.rows : matrix.columns;
  if (!ir::is_constant(contiguous, 1)) {
    return none("no mode is contiguous: neither stride is the number 1");
  }
  for (std::size_t i = 0; i < view.axes.size(); ++i) {
    matrix.first = matrix.first + origin(view.axes[i]) * array.axes[i].stride;
  }

  // Multiples of 16 bytes, or of a contiguous row or column where that is shorter.
  const std::int64_t run = size(shape.mode(by_rows ? 1 : 0));
  std::uint32_t multiple = static_cast<std::uint32_t>(16 / size_of(array.type));
  while (run % multiple != 0) multiple /= 2;
  matrix.width = multiple;
  const auto require = [&](const Expr& value) {
    if (ir::is_multiple(value, multiple, matrix.needs)) return true;
    if (ir::is_constant(value)) return false;
    matrix.needs.push_back(ir::equal(value % multiple, 0));
    return true;
  };
  if (!require(leading)) {
    return none(
        fmt::format("its leading stride {} is not a multiple of {}", leading->value, multiple));
  }
  for (std::size_t i = 0; i < view.axes.size(); ++i) {
    const Expr first = origin(view.axes[i]);
    if (ir::is_multiple(first * array.axes[i].stride, multiple, matrix.needs)) continue;
    if (!ir::is_constant(array.axes[i].stride)) {
      require(array.axes[i].stride);
      continue;
    }
    return none(
        fmt::format("it starts at multiples of {} along {}, but multiples of {} are required",
                    first->alignment, array.axes[i].coordinate, multiple));
  }
  return {matrix, ""};
}

}  // namespace vkmoye::gen
