// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/matrix_values.hpp"

#include <fmt/format.h>

#include "vkmoye/base/error.hpp"
#include "vkmoye/layout/composition.hpp"
#include "vkmoye/layout/inverse.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

std::string text(const MatrixValues& x) {
  const Matrices& all = x.matrices;
  return fmt::format("{} ({}x{} matrices of {}x{}, order {})", all.array, all.rows, all.columns,
                     all.type.rows, all.type.columns, to_string(x.order));
}

bool have_one_shape(const Matrices& a, const Matrices& b) {
  return a.rows == b.rows && a.columns == b.columns && a.type.rows == b.type.rows &&
         a.type.columns == b.type.columns;
}

void require_one_shape(const MatrixValues& from, const MatrixValues& to) {
  if (have_one_shape(from.matrices, to.matrices)) return;
  throw LayoutError(fmt::format("convert({}, {}): the numbers or sizes of the matrices differ",
                                text(from), text(to)));
}

void rename(Builder& k, const MatrixValues& from, const MatrixValues& to) {
  k.apply(
      to.values, [](const Expr& x) { return x; }, from.values);
}

}  // namespace

View MatrixValues::part(const Builder& k, const View& view) const {
  return partition(view, lanes, k.lane());
}

View MatrixValues::rows_of(const Builder& k, const View& view) const {
  return first_along(composition(part(k, view), by_row.axes.front().values), {0});
}

MatrixValues matrix_values(Builder& k, const Matrices& matrices, const Layout& order) {
  const std::int64_t rows = matrices.type.rows, columns = matrices.type.columns;
  const auto refuse = [&](const std::string& why) {
    throw LayoutError(
        fmt::format("matrix_values({}, {}): {}", matrices.array, to_string(order), why));
  };
  const std::int64_t lanes = k.lanes();
  if (lanes == 0) refuse("the kernel has no subgroups");
  const std::int64_t held = rows * columns / lanes;
  const bool fits = order.rank() == 2 && size(order, 0) == rows && size(order, 1) == columns;
  if (!fits) refuse(fmt::format("the order must have {} rows and {} columns", rows, columns));
  if (!is_compact(order)) refuse("the order does not give each element one place");
  const LanesOrReason split = split_order(order, held);
  if (!split.lanes) refuse(split.reason);
  const FragmentLanes& of = *split.lanes;

  k.assume_order(matrices, to_string(order));
  const View elements = k.elements(matrices);
  const Layout along_rows(matrices.rows, held),
      along_columns(matrices.columns, held * matrices.rows);
  MatrixValues out;
  out.matrices = matrices;
  out.order = order;
  out.by_row = k.retile(elements, make_layout(make_layout(of.k_numbers, along_columns),
                                              make_layout(of.row_numbers, along_rows)));
  out.threads =
      make_layout(of.to_lane.mode(0), of.to_lane.mode(1), Layout(k.threads() / lanes, lanes));
  out.lanes = {composition(right_inverse(order), Layout({lanes, held}, {held, 1})),
               {rows, columns}};
  // In the shape of part(): the elements of a lane may be nested.
  const View places =
      out.part(k, make_identity_view({rows * matrices.rows, columns * matrices.columns}));
  out.values = k.retile(elements, Layout(places.shape()));
  return out;
}

void convert_matrices(Builder& k, const MatrixValues& from, const MatrixValues& to) {
  require_one_shape(from, to);
  if (from.order != to.order) {
    throw LayoutError(fmt::format(
        "convert({}, {}): the orders differ, so that lanes hold different elements; pass shared "
        "memory as `staging`",
        text(from), text(to)));
  }
  rename(k, from, to);
}

void convert_matrices(Builder& k, const MatrixValues& from, const MatrixValues& to,
                      const View& staging) {
  require_one_shape(from, to);
  if (from.order == to.order) return rename(k, from, to);
  k.barrier();
  k.apply(
      from.part(k, staging), [](const Expr& x) { return x; }, from.values);
  k.barrier();
  k.apply(
      to.values, [](const Expr& x) { return x; }, to.part(k, staging));
}

}  // namespace vkmoye::gen
