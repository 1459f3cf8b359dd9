// SPDX-License-Identifier: MIT
// Sparse rows (CSR) times a vector: y(row) = sum of factor(i) * x(column(i)) over i from start(row) to below
// start(row + 1). A thread computes a row.

#include "model.hpp"

namespace models {
namespace {

ir::Kernel csr() {
  const ScalarType f32 = ScalarType::f32, u32 = ScalarType::u32;
  Builder k("csr", 64);
  const Tensor x = k.input("x", f32, {{"column", "columns"}});
  const Tensor start = k.input("start", u32, {{"row", "starts"}});  // rows + 1
  const Tensor column = k.input("column", u32, {{"i", "count"}});
  k.input("factor", f32, {{"i", "count"}});
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

// --- the problem ---

// Row i of the matrix of the test has i % 7 numbers.
std::int64_t entries_before(std::int64_t row) {
  return row / 7 * 21 + row % 7 * (row % 7 - 1) / 2;
}

const Model kCsr({
    .name = "models/csr",
    .summary = "a square matrix in compressed sparse rows times a vector",
    .size_form = "ROWS",
    .example = {20000},
    .problem =
        [](const Size& s) {
          const std::int64_t rows = s[0], count = entries_before(rows);
          bench::Problem problem{
              {{"x", {rows}},
               {"start", {rows + 1}, ScalarType::u32},
               {"column", {count}, ScalarType::u32},
               {"factor", {count}}},
              {"y", {rows}},
              {{"starts", rows + 1}, {"rows", rows}, {"count", count}, {"columns", rows}},
              2.0 * double(count)};
          problem.inputs[1].value = [](std::uint64_t row, std::uint64_t) {
            return double(entries_before(std::int64_t(row)));
          };
          problem.inputs[2].value = [rows](std::uint64_t, std::uint64_t bits) {
            return whole(bits, std::size_t(rows));
          };
          return problem;
        },
    .reference =
        [](const bench::Problem&, Inputs in, Result y) {
          for (std::size_t row = 0; row < y.size(); ++row) {
            for (auto i = std::size_t(in[1][row]); i < std::size_t(in[1][row + 1]); ++i) {
              const double part = in[3][i] * in[0][std::size_t(in[2][i])];
              y[row].value += part;
              y[row].bound += std::fabs(part) * 0x1p-20;
            }
          }
        },
    .kernel = [](const DeviceCaps&) { return csr(); },
});

}  // namespace
}  // namespace models
