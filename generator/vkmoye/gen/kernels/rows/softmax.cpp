// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/softmax.hpp"

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/rows/staged_row.hpp"

namespace vkmoye::gen {

ir::Kernel softmax(const ThreadsConfig& wanted, const std::string& name) {
  const ThreadsConfig config = fitted_to_rows(wanted);
  throw_if_any(name, reasons_against_rows(config));

  Builder k(name, config.threads, to_index(config.subgroup_size));
  k.describe(typed_items(threads_fields<ThreadsConfig>(), config),
             "rows that fit stay in registers, longer ones are read three times");
  const Tensor src = k.input("src", config.type, {{"col", "cols"}, {"row", "rows"}});
  const Tensor dst = k.output("dst", config.type, {{"col", "cols"}, {"row", "rows"}});
  const Expr least = kMaximum.neutral(ScalarType::f32);
  Row row(k, config, src, least);
  Blocks result(k, dst, row.block(), config.copy());
  const View x = row.x();                                                  // (value, round, 1)
  const View largest = k.registers("largest", ScalarType::f32, Layout());  // one value
  const View sum = k.registers("sum", ScalarType::f32, Layout());

  k.headed("first pass, the largest of the row", [&] { k.assign(largest, least); });
  row.pass([&](const Expr&) { k.accumulate(largest, kMaximum, x); });
  k.reduce_across(largest, kMaximum, config.layout(), 0);

  const auto exponentials = [&] {
    k.titled("x <- exp(x - largest)", [&] {
      k.apply(
          x, [](const Expr& value, const Expr& most) { return exp(value - most); }, x, largest);
    });
  };
  k.headed("second pass, the sum of the exponentials",
           [&] { k.assign(sum, ir::number(ScalarType::f32, 0)); });
  row.pass([&](const Expr&) {
    exponentials();
    k.accumulate(sum, kSum, x);
  });
  k.reduce_across(sum, kSum, config.layout(), 0);

  row.pass(
      [&](const Expr& block) {
        k.titled("x <- x / sum", [&] {
          k.apply(
              x, [](const Expr& e, const Expr& whole) { return e / whole; }, x, sum);
        });
        result.store({block, k.block_x()}, x);
      },
      [&](const Expr&) { exponentials(); });
  return k.finish();
}

}  // namespace vkmoye::gen
