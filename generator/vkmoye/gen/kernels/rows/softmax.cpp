// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/softmax.hpp"

#include <cfloat>

#include "vkmoye/gen/kernels/rows/slices.hpp"
#include "vkmoye/gen/kernels/rows/staged_row.hpp"

namespace vkmoye::gen {

namespace {

Expr difference_exp(const Expr& value, const Expr& max) { return exp(value - max); }

}  // namespace

ir::Kernel softmax(const ThreadsConfig& wanted, const std::string& name) {
  const ThreadsConfig config = fitted_to_rows(wanted);
  RowBuilder k(name, config, "rows that fit stay in registers, longer ones are read three times");
  const Tensor src = k.input("src", config.type, kRowAxes);
  const Tensor dst = k.output("dst", config.type, kRowAxes);
  const Expr neutral = kMaximum.neutral(ScalarType::f32);
  Row row(k, config, src, neutral);
  Blocks result(k, dst, row.block(), config.tiled_copy());
  const View x = row.x();                                                  // (value, round, 1)
  const View largest = k.registers("largest", ScalarType::f32, Layout());  // one value
  const View sum = k.registers("sum", ScalarType::f32, Layout());

  k.under_heading("first pass, the largest of the row", [&] { k.assign(largest, neutral); });
  row.pass([&](const Expr&) { k.accumulate(largest, kMaximum, x); });
  k.reduce_across(largest, kMaximum, config.thread_layout(), 0);

  const auto exponentials = [&] {
    k.with_title("x <- exp(x - largest)", [&] { k.apply(x, difference_exp, x, largest); });
  };
  k.under_heading("second pass, the sum of the exponentials",
                  [&] { k.assign(sum, ir::number(ScalarType::f32, 0)); });
  row.pass([&](const Expr&) {
    exponentials();
    k.accumulate(sum, kSum, x);
  });
  k.reduce_across(sum, kSum, config.thread_layout(), 0);

  k.under_heading("third pass, each exponential divided by the sum", [&] {
    row.pass(
        [&](const Expr& block) {
          k.with_title("x <- x / sum", [&] {
            k.apply(
                x, [](const Expr& e, const Expr& whole) { return e / whole; }, x, sum);
          });
          result.store({block, row.row_tile()}, x);
        },
        [&](const Expr&) { exponentials(); });
  });
  return k.finish();
}

ir::Kernel softmax_slices(const ThreadsConfig& wanted, const std::string& name) {
  const ThreadsConfig config = fitted_to_rows(wanted);
  RowBuilder k(name, config, "the maximum of each slice of a row, and the sum of the exponentials");
  const Tensor src = k.input("src", config.type, kRowAxes);
  SliceResultsWriter largest_of(k, "slice_largest", ScalarType::f32, config),
      sum_of(k, "slice_sums", ScalarType::f32, config);
  Row row(k, config, src, kMaximum.neutral(ScalarType::f32), Row::Part::slice, sum_of.slices());
  const View x = row.x();
  const View largest = k.registers("largest", ScalarType::f32, Layout());  // of this thread
  const View before = k.registers("before", ScalarType::f32, Layout());    // largest, a block ago
  const View sum = k.registers("sum", ScalarType::f32, Layout());
  const auto rescale = [&] {
    k.with_title("sum <- sum * exp(before - largest)", [&] {
      k.apply(
          sum,
          [](const Expr& s, const Expr& old, const Expr& new_max) {
            return s * exp(old - new_max);
          },
          sum, before, largest);
    });
  };

  // A finite number, so that -infinity alone makes a sum of 0: exp(-infinity - largest).
  k.assign(largest, ir::number(ScalarType::f32, -FLT_MAX));
  k.assign(sum, ir::number(ScalarType::f32, 0));
  row.pass([&](const Expr&) {
    k.copy(largest, before);
    k.accumulate(largest, kMaximum, x);
    rescale();
    k.with_title("x <- exp(x - largest)", [&] { k.apply(x, difference_exp, x, largest); });
    k.accumulate(sum, kSum, x);
  });
  k.copy(largest, before);
  k.reduce_across(largest, kMaximum, config.thread_layout(), 0);
  rescale();
  k.reduce_across(sum, kSum, config.thread_layout(), 0);
  largest_of.store(largest);
  sum_of.store(sum);
  return k.finish();
}

ir::Kernel softmax_combine(const ThreadsConfig& wanted, const std::string& name) {
  const ThreadsConfig config = fitted_to_rows(wanted);
  RowBuilder k(name, config,
               "combines the slices of a row; a workgroup computes a block of the row");
  const Tensor src = k.input("src", config.type, kRowAxes);
  const Expr none = ir::number(ScalarType::f32, -FLT_MAX), zero = ir::number(ScalarType::f32, 0);
  SliceResultsReader largest_of(k, "slice_largest", config, k.block_y(), none),
      sum_of(k, "slice_sums", config, k.block_y(), zero);
  const Tensor dst = k.output("dst", config.type, kRowAxes);
  Row row(k, config, src, kMaximum.neutral(ScalarType::f32), Row::Part::block);
  Blocks result(k, dst, row.block(), config.tiled_copy());
  const View x = row.x();
  const View largest = k.registers("largest", ScalarType::f32, Layout());
  const View sum = k.registers("sum", ScalarType::f32, Layout());

  k.assign(largest, none);
  largest_of.each([&](const Expr&) { k.accumulate(largest, kMaximum, largest_of.values()); });
  k.reduce_across(largest, kMaximum, config.thread_layout(), 0);
  k.assign(sum, zero);
  largest_of.each([&](const Expr& block) {
    sum_of.load(block);
    k.with_title("sum += slice_sum * exp(slice_largest - largest)", [&] {
      k.apply(
          sum_of.values(),
          [](const Expr& s, const Expr& max_of_slice, const Expr& max_of_row) {
            return s * exp(max_of_slice - max_of_row);
          },
          sum_of.values(), largest_of.values(), largest);
    });
    k.accumulate(sum, kSum, sum_of.values());
  });
  k.reduce_across(sum, kSum, config.thread_layout(), 0);
  row.pass([&](const Expr& block) {
    k.with_title("x <- exp(x - largest) / sum", [&] {
      k.apply(
          x,
          [](const Expr& v, const Expr& max_of_row, const Expr& whole) {
            return difference_exp(v, max_of_row) / whole;
          },
          x, largest, sum);
    });
    result.store({block, row.row_tile()}, x);
  });
  return k.finish();
}

}  // namespace vkmoye::gen
