// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/compute.hpp"
#include "vkmoye/gen/dsl/matrix_in_memory.hpp"
#include "vkmoye/gen/dsl/titles.hpp"
#include "vkmoye/layout/coalesce.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::uint32_t kAnyWidth = std::numeric_limits<std::uint32_t>::max();

ir::MatrixPart part_of(const Matrices& matrices, const Expr& row, const Expr& column,
                       std::uint32_t lanes) {
  const Expr number = matrices.first + row + Expr(to_index(matrices.rows)) * column;
  ir::MatrixPart part{matrices.array, number, {}};
  const auto count = static_cast<std::uint32_t>(ir::elements_per_lane(matrices.type, lanes));
  for (std::uint32_t i = 0; i < count; ++i) {
    part.elements.push_back({matrices.array, {Expr(count) * number + i}, matrices.array, 1});
  }
  return part;
}

// A view, which has the size of one matrix, as the source or target of a matrix load or store.
ir::MatrixRegion region_of(const ArrayView& of, std::uint32_t lanes, std::uint32_t max_width) {
  const View& view = of.view;
  const MatrixOrReason result = as_matrix(of);
  if (!result.matrix) throw LayoutError(result.reason);
  const MatrixInMemory& matrix = *result.matrix;
  ir::MatrixRegion region;
  region.by_columns = ir::is_constant(matrix.rows, 1) && !ir::is_constant(matrix.columns, 1);
  region.stride = region.by_columns ? matrix.columns : matrix.rows;
  region.rows = to_index(size(view.shape().mode(0)));
  region.columns = to_index(size(view.shape().mode(1)));
  const std::uint32_t side = region.by_columns ? region.rows : region.columns;
  const std::uint32_t width = std::min(matrix.width, max_width);
  const std::uint32_t count = region.rows * region.columns / width;
  region.lanes = std::min(lanes, count);
  if (count % region.lanes != 0) {
    throw LayoutError(fmt::format("{}: {} lanes do not divide its {} vectors of {} evenly",
                                  view.name, lanes, count, width));
  }
  const auto element = [&](const Expr& row, const Expr& column) {
    ir::Element at{view.array, {}, view.name, width};
    for (const View::Axis& axis : view.axes) {
      at.coordinates.push_back(origin(axis) + evaluate(coalesce(axis.values.mode(0)), row) +
                               evaluate(coalesce(axis.values.mode(1)), column));
    }
    return at;
  };
  region.first = element(0, 0);
  const Expr lane = ir::variable("lane", ir::kIndex, lanes) % region.lanes;
  for (std::uint32_t first = 0; first < count; first += region.lanes) {
    const Expr number = lane + first;
    const Expr along = Expr(width) * (number % (side / width)), across = number / (side / width);
    region.vectors.push_back(region.by_columns ? element(along, across) : element(across, along));
  }
  return region;
}

// Statements for each matrix (i, j), in loops that the compiler unrolls.
template <class Make>
ir::Body for_each_matrix(std::int64_t rows, std::int64_t columns, Make make) {
  const auto index = [](const char* name, std::int64_t count) {
    return count == 1 ? Expr(0) : ir::variable(name, ir::kIndex, to_index(count));
  };
  ir::Body body = make(index("i", rows), index("j", columns));
  const auto around = [&](const char* name, std::int64_t count) {
    if (count == 1) return;
    body = ir::statements(ir::For{name, to_index(count), std::move(body), ir::Unroll::always});
  };
  around("i", rows);
  around("j", columns);
  return body;
}

ArrayView matrix_tile(const ArrayView& of, const Matrices& matrices, const Expr& i, const Expr& j) {
  return {tile(of.view, {matrices.type.rows, matrices.type.columns}, {i, j}), of.array};
}

void require_shape(const View& view, const Matrices& matrices, std::int64_t rows,
                   std::int64_t columns) {
  const IntTuple shape{rows * matrices.type.rows, columns * matrices.type.columns};
  if (product_each(view.shape()) == shape) return;
  throw LayoutError(fmt::format("{} has the shape {}, but the matrices {} have {}", view.name,
                                to_string(view.shape()), matrices.array, to_string(shape)));
}

}  // namespace

Matrices column_of(const Matrices& matrices, const Expr& column) {
  Matrices out = matrices;
  out.columns = 1;
  out.first = matrices.first + Expr(to_index(matrices.rows)) * column;
  return out;
}

ir::Array matrices_array(const std::string& name, ScalarType type, const Matrices& matrices,
                         std::uint32_t lanes) {
  const std::int64_t elements = std::int64_t{matrices.type.rows} * matrices.type.columns;
  if (lanes == 0 || elements % lanes != 0) {
    throw LayoutError(
        fmt::format("matrices {} of {}x{}: {} lanes do not divide their {} elements evenly", name,
                    matrices.type.rows, matrices.type.columns, lanes, elements));
  }
  const std::int64_t held = elements / lanes * matrices.rows * matrices.columns;
  ir::Array array{name,
                  type,
                  ir::Array::Space::registers,
                  Access::read_write,
                  {{"at", held, 1}},
                  fmt::format("({},{})", matrices.rows, matrices.columns)};
  array.matrix = matrices.type;
  return array;
}

View elements_of(const Matrices& matrices, std::uint32_t lanes) {
  const auto held = static_cast<std::int64_t>(ir::elements_per_lane(matrices.type, lanes));
  const Layout values(IntTuple{held, matrices.rows * matrices.columns});
  return {matrices.array, {{{}, values}}, {}, fmt::format("elements({})", matrices.array)};
}

ir::Titled load_statements(const ArrayView& from, const Matrices& to, std::uint32_t lanes,
                           std::uint32_t max_width) {
  require_shape(from.view, to, to.rows, to.columns);
  return {
      fmt::format("load {}{}\n  into {}", from.view.name, place_text(from.view), to.array),
      for_each_matrix(to.rows, to.columns, [&](const Expr& i, const Expr& j) {
        return ir::statements(ir::MatrixLoad{
            part_of(to, i, j, lanes), region_of(matrix_tile(from, to, i, j), lanes, max_width)});
      })};
}

ir::Titled store_statements(const Matrices& from, const Expr& row, const Expr& column,
                            const ArrayView& to, std::uint32_t lanes) {
  const auto count = [&](int mode, std::int64_t of_one, std::int64_t max_count) {
    const IntTuple shape = to.view.shape();
    const std::int64_t extent = mode < shape.rank() ? size(shape.mode(mode)) : 1;
    return std::min(extent / of_one, max_count);
  };
  const std::int64_t rows = count(0, from.type.rows, from.rows);
  const std::int64_t columns = count(1, from.type.columns, from.columns);
  require_shape(to.view, from, rows, columns);
  return {fmt::format("store {}\n  to {}{}", from.array, to.view.name, place_text(to.view)),
          for_each_matrix(rows, columns, [&](const Expr& i, const Expr& j) {
            return ir::statements(
                ir::MatrixStore{region_of(matrix_tile(to, from, i, j), lanes, kAnyWidth),
                                part_of(from, row + i, column + j, lanes)});
          })};
}

ir::Titled assign_statements(const Matrices& to, const Expr& value, std::uint32_t lanes) {
  return {fmt::format("{} <- {}", to.array, value_name(value)),
          for_each_matrix(to.rows, to.columns, [&](const Expr& i, const Expr& j) {
            return ir::statements(ir::MatrixFill{part_of(to, i, j, lanes), value});
          })};
}

ir::Titled multiply_statements(const Matrices& a, const Matrices& b, const Matrices& c,
                               std::uint32_t lanes) {
  const bool fits = a.rows == c.rows && b.columns == c.columns && a.columns == b.rows;
  if (!fits) {
    throw LayoutError(fmt::format("{} += {} * {}: {}x{}, {}x{} and {}x{} matrices do not match",
                                  c.array, a.array, b.array, c.rows, c.columns, a.rows, a.columns,
                                  b.rows, b.columns));
  }
  return {fmt::format("{} += {} * {}", c.array, a.array, b.array),
          for_each_matrix(c.rows, c.columns, [&](const Expr& i, const Expr& j) {
            ir::Body body;
            for (std::int64_t k = 0; k < a.columns; ++k) {
              const ir::MatrixPart sum = part_of(c, i, j, lanes);
              body.emplace_back(ir::MatrixMultiply{sum, part_of(a, i, to_index(k), lanes),
                                                   part_of(b, to_index(k), j, lanes), sum});
            }
            return body;
          })};
}

}  // namespace vkmoye::gen
