// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/argmax.hpp"

#include <algorithm>
#include <limits>

#include "vkmoye/gen/kernels/rows/slices.hpp"
#include "vkmoye/gen/kernels/rows/staged_row.hpp"

namespace vkmoye::gen {
namespace {

// On an H100, 3456x11464 of f16 takes 37 us with 256 threads that hold 16 values each; 46 with 32 values, and 57 with
// 512 threads that hold the whole row.
constexpr std::int64_t kThreads = 256, kValues = 16;

const Expr& no_column() {
  static const Expr none = ir::number(ScalarType::u32, std::numeric_limits<std::uint32_t>::max());
  return none;
}

// `column` where `value` is the largest, or NaN.
Expr column_of_largest(const Expr& value, const Expr& largest, const Expr& column) {
  const Expr is_largest = ir::logical_or(ir::equal(value, largest), ir::is_nan(value));
  return select(is_largest, column, no_column());
}

// The largest element of a row and its first column, as far as the workgroup has the row.
struct LargestOfRow {
  View largest, first;  // one value
};

// In one pass over the row. A thread looks for the column only in blocks that raise its maximum: the first one, and
// few later ones.
LargestOfRow find_largest(Builder& k, Row& row, const Tensor& src, const ThreadsConfig& config) {
  const Blocks places(k, src, row.block(), config.tiled_copy());
  const View x = row.x();                                                  // (value, round, 1)
  const View column = k.make_fragment_like("column", ScalarType::u32, x);  // the same
  const auto single = [&](const char* of, ScalarType type) {
    return k.registers(of, type, Layout());
  };
  const View own = single("own", ScalarType::f32);
  const View own_first = single("own_first", ScalarType::u32);
  const View largest = single("largest", ScalarType::f32), first = single("first", ScalarType::u32);

  k.assign(own, kMaximum.neutral(ScalarType::f32));
  k.assign(own_first, no_column());
  row.pass([&](const Expr& block) {
    const Expr before = k.load("before", own);
    k.accumulate(own, kMaximum, x);
    const Expr is_same = ir::logical_or(ir::equal(k.load("now", own), before), ir::is_nan(before));
    const Expr is_first = ir::equal(k.load("earlier", own_first), no_column());
    k.branch(
        {ir::logical_or(ir::logical_not(is_same), is_first)},
        "the block has a larger element, or is the first",
        [&] {
          k.apply(column, places.part({block, row.row_tile()}),
                  [&](const std::vector<Expr>& v, const std::vector<Expr>& at) {
                    return column_of_largest(v[0], v[1], convert(at[0], ScalarType::u32));
                  },
                  {x, own});
          k.assign(own_first, no_column());
          k.accumulate(own_first, kMinimum, column);
        },
        "", [] {});
  });
  k.copy(own, largest);
  k.reduce_across(largest, kMaximum, config.thread_layout(), 0);
  k.with_title("first <- own_first if it is of the largest element of the row",
               [&] { k.apply(first, column_of_largest, own, largest, own_first); });
  k.reduce_across(first, kMinimum, config.thread_layout(), 0);
  return {largest, first};
}

void store_row_results(Builder& k, const View& first, const Tensor& dst,
                       const ThreadsConfig& config) {
  const std::int64_t rows = config.threads / config.columns;
  const Expr columns = to_index(config.columns);
  const View to =
      parallelize(tile(dst, {rows}, {k.block_x()}), make_layout({rows}), k.thread() / columns);
  k.branch({ir::equal(k.thread() % columns, 0)}, [&] { k.copy(first, to); });
}

}  // namespace

ThreadsConfig fitted_to_argmax(ThreadsConfig config, std::optional<std::int64_t> cols) {
  if (config.threads == 0) config.threads = std::min<std::int64_t>(kThreads, config.max_threads);
  fit_vector(config, cols);
  const std::int64_t row = config.threads * kMaxValues;
  if (config.rounds == 0 && config.width() > 0 && cols.value_or(row + 1) > row) {
    config.rounds = std::max<std::int64_t>(1, kValues / config.width());
  }
  return fitted_to_rows(config, cols);
}

ir::Kernel argmax(const ThreadsConfig& wanted, const std::string& name) {
  const ThreadsConfig config = fitted_to_argmax(wanted);
  RowBuilder k(name, config, "each row is read once");
  const Tensor src = k.input("src", config.type, kRowAxes);
  const Tensor dst = k.output("dst", ScalarType::u32, {{"row", "rows"}});
  Row row(k, config, src, kMaximum.neutral(ScalarType::f32));
  store_row_results(k, find_largest(k, row, src, config).first, dst, config);
  return k.finish();
}

ir::Kernel argmax_slices(const ThreadsConfig& wanted, const std::string& name) {
  const ThreadsConfig config = fitted_to_argmax(wanted);
  RowBuilder k(name, config, "the largest element of each slice of a row, and its first column");
  const Tensor src = k.input("src", config.type, kRowAxes);
  SliceResultsWriter largest_of(k, "slice_largest", ScalarType::f32, config),
      column_of(k, "slice_columns", ScalarType::u32, config);
  Row row(k, config, src, kMaximum.neutral(ScalarType::f32), Row::Part::slice, column_of.slices());
  const LargestOfRow found = find_largest(k, row, src, config);
  largest_of.store(found.largest);
  column_of.store(found.first);
  return k.finish();
}

ir::Kernel argmax_combine(const ThreadsConfig& wanted, const std::string& name) {
  const ThreadsConfig config = fitted_to_argmax(wanted);
  RowBuilder k(name, config, "finds the first slice of a row that has the largest element");
  const Expr neutral = kMaximum.neutral(ScalarType::f32);
  SliceResultsReader largest_of(k, "slice_largest", config, k.block_x(), neutral),
      column_of(k, "slice_columns", config, k.block_x(), no_column());
  const Tensor dst = k.output("dst", ScalarType::u32, {{"row", "rows"}});
  const View largest = k.registers("largest", ScalarType::f32, Layout());  // one value
  const View first = k.registers("first", ScalarType::u32, Layout());

  k.assign(largest, neutral);
  largest_of.each([&](const Expr&) { k.accumulate(largest, kMaximum, largest_of.values()); });
  k.reduce_across(largest, kMaximum, config.thread_layout(), 0);
  k.assign(first, no_column());
  largest_of.each([&](const Expr& block) {
    column_of.load(block);
    const View column = column_of.values();
    k.with_title("keep the column if it is of the largest", [&] {
      k.apply(
          column,
          [](const Expr& c, const Expr& of_slice, const Expr& of_row) {
            return column_of_largest(of_slice, of_row, c);
          },
          column, largest_of.values(), largest);
    });
    k.accumulate(first, kMinimum, column);
  });
  k.reduce_across(first, kMinimum, config.thread_layout(), 0);
  store_row_results(k, first, dst, config);
  return k.finish();
}

}  // namespace vkmoye::gen
