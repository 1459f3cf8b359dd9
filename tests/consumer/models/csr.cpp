// SPDX-License-Identifier: MIT
// Sparse rows (CSR) times a vector: y(row) = sum of factor(i) * x(column(i)) over i from start(row) to below
// start(row + 1). A thread computes a row.

#include "model.hpp"

namespace models {
namespace {

ir::Kernel csr() {
  const ScalarType f32 = ScalarType::f32, u32 = ScalarType::u32;
  Builder k("csr", 64);
  const Tensor start = k.input("start", u32, {{"row", "starts"}});  // rows + 1
  const Tensor column = k.input("column", u32, {{"i", "count"}});
  k.input("factor", f32, {{"i", "count"}});
  const Tensor x = k.input("x", f32, {{"column", "columns"}});
  const Tensor y = k.output("y", f32, {{"row", "rows"}});
  const View sum = k.registers("sum", f32, make_layout({1}));
  const Expr row = k.let("row", 64 * k.block_x() + k.thread());
  k.assign(sum, 0);
  const Expr starts = start.extent(0);
  k.branch({less(row, starts), less(row + 1, starts)}, [&] {
    const Expr first = to_index(k.load("first", {"start", {row}}));
    const Expr end = to_index(k.load("last", {"start", {row + 1}}));
    k.loop("step", maximum(end, first) - first, [&](const Expr& step) {
      const Expr i = k.let("i", first + step);
      k.branch({less(i, column.extent(0))}, [&] {
        const Expr at = k.let("at", to_index(k.load("of_entry", {"column", {i}})));
        k.branch({less(at, x.extent(0))}, [&] {
          const Expr of_row = k.load("of_row", {"factor", {i}});
          const Expr of_x = k.load("of_x", {"x", {at}});
          k.apply(
              sum, [&](Expr s) { return multiply_add(of_row, of_x, s); }, sum);
        });
      });
    });
  });
  k.copy(sum, parallelize(tile(y, {64}, {k.block_x()}), make_layout({64}), k.thread()));
  return k.finish();
}

const Model kCsr("sparse rows", [](const Machine& machine) {
  const std::size_t rows = 100, columns = 40;
  std::vector<double> starts = {0}, at;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < row % 7; ++i)
      at.push_back(double((row * 13 + i * 5) % columns));
    starts.push_back(double(at.size()));
  }
  const Data start{ScalarType::u32, starts}, column{ScalarType::u32, at};
  const Data value = random_data(ScalarType::f32, at.size()),
             x = random_data(ScalarType::f32, columns);
  std::vector<Expected> y(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    for (auto i = std::size_t(starts[row]); i < std::size_t(starts[row + 1]); ++i) {
      const double part = value[i] * x[std::size_t(at[i])];
      y[row].value += part;
      y[row].tolerance += std::fabs(part) * 0x1p-20;
    }
  }
  machine.check(
      csr(), {start, column, value, x, unwritten(ScalarType::f32, rows)},
      {{"starts", rows + 1}, {"rows", rows}, {"count", at.size()}, {"columns", columns}}, y);
});

}  // namespace
}  // namespace models
