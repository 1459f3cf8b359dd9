// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/softmax.hpp"

#include <cfloat>

#include "vkmoye/gen/kernels/rows/row_state.hpp"

namespace vkmoye::gen {

ir::Kernel softmax(const ThreadsConfig& wanted, const std::string& name, RowPart part) {
  const ThreadsConfig config = fitted_to_rows(wanted);
  Builder k =
      row_builder(name, config, threads_fields<ThreadsConfig>(), reasons_against_rows(config), part,
                  {"rows that fit stay in registers, longer ones are read twice",
                   "the maximum of each slice of a row, and the sum of the exponentials",
                   "combines the slices of a row; a workgroup has a block of the row"});
  const Tensor src = k.input("src", config.type, kRowAxes);
  const auto rescale = RowState::adjust_to(
      k, "the sum for the new largest",
      [](const Expr& sum, const Expr& own, const Expr& merged) { return sum * exp(own - merged); });
  const Expr zero = ir::number(ScalarType::f32, 0);
  // A finite number, so that -infinity alone makes a sum of 0: exp(-infinity - largest).
  const Expr least = ir::number(ScalarType::f32, -FLT_MAX);
  // The maximum may lose a NaN, but its exponential makes the sum NaN, whatever the maximum.
  RowState state(k, config, part,
                 {{"largest", kMaximumOfNumbers, least, {"slice_largest"}},
                  {"sum", kSum, zero, {"slice_sums"}, rescale}},
                 row_tile(k, part));
  Tensor dst;
  if (part != RowPart::slices) dst = k.output("dst", config.type, kRowAxes);
  Row row(k, config, src, kMaximumOfNumbers.neutral(ScalarType::f32), part, state.slices());
  const View x = row.x(), largest = state[0][0], sum = state[1][0];
  const auto to_exponentials = [&](const View& of) {
    k.with_title("x <- exp(x - " + of.name + ")", [&] {
      k.apply(
          x, [](const Expr& v, const Expr& m) { return exp(v - m); }, x, of);
    });
  };

  state.compute(row, [&](const Expr&) {
    state.step([&] { k.accumulate(largest, kMaximumOfNumbers, x); },
               [&] {
                 to_exponentials(largest);
                 k.accumulate(sum, kSum, x);
               });
  });
  if (part == RowPart::slices) return k.finish();

  // The exponentials in registers are those of the largest number that this thread has seen.
  const bool has_own = part == RowPart::whole;
  const View own = has_own ? state.before()[0] : largest;
  const View factor = k.registers("factor", ScalarType::f32, Layout());
  k.apply(
      factor,
      [&](const Expr& from, const Expr& to, const Expr& s) {
        return (has_own ? exp(from - to) : ir::number(ScalarType::f32, 1)) / s;
      },
      own, largest, sum);
  TiledArray result = row.blocks_of(dst);
  const auto store = [&](const Expr& block) {
    k.with_title("x <- x * factor", [&] {
      k.apply(
          x, [](const Expr& e, const Expr& f) { return e * f; }, x, factor);
    });
    result.store(row.at(block), x);
  };
  k.under_heading("each exponential divided by the sum",
                  [&] { row.pass(store, [&](const Expr&) { to_exponentials(own); }); });
  return k.finish();
}

}  // namespace vkmoye::gen
