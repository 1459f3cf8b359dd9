// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/matrix_in_memory.hpp"

#include <fmt/format.h>

#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/ir/guards.hpp"
#include "vkmoye/layout/coalesce.hpp"

namespace vkmoye::gen {
namespace {

// The stride of mode `mode` of the values, in elements; nullopt if it has no single stride.
std::optional<Expr> stride_of(const ArrayView& of, int mode) {
  Expr stride = 0;
  for (std::size_t i = 0; i < of.view.axes.size(); ++i) {
    const Layout along = coalesce(of.view.axes[i].values.mode(mode));
    if (along.leaves().size() != 1) return std::nullopt;
    stride = stride + Expr(to_index(along.leaves()[0].stride)) * of.array->axes[i].stride;
  }
  return stride;
}

}  // namespace

MatrixOrReason as_matrix(const ArrayView& of) {
  const View& view = of.view;
  const ir::Array& array = *of.array;
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
    const auto stride = stride_of(of, mode);
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
