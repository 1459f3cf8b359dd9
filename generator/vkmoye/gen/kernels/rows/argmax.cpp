// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/argmax.hpp"

#include <algorithm>
#include <limits>

#include "vkmoye/gen/kernels/rows/row_state.hpp"

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
Expr column_of_largest(const Expr& column, const Expr& value, const Expr& largest) {
  const Expr is_largest = ir::logical_or(equal(value, largest), ir::is_nan(value));
  return select(is_largest, column, no_column());
}

}  // namespace

ThreadsConfig fitted_to_argmax(ThreadsConfig config, std::optional<std::int64_t> cols) {
  if (config.threads == 0) config.threads = std::min<std::int64_t>(kThreads, config.max_threads);
  fit_vector(config, cols);
  const std::int64_t row = config.threads * kMaxValues;
  if (config.rounds == 0 && config.width() > 0 && cols.value_or(row + 1) > row) {
    config.rounds = std::max<std::int64_t>(1, kValues / config.width());
  }
  return fitted_to_rows(config, cols, RowUse::read);
}

ir::Kernel argmax(const ThreadsConfig& wanted, const std::string& name, RowPart part) {
  const ThreadsConfig config = fitted_to_argmax(wanted);
  Builder k = row_builder(
      name, config, threads_fields<ThreadsConfig>(), reasons_against_rows(config), part,
      {"each row is read once", "the largest element of each slice of a row, and its first column",
       "finds the first slice of a row that has the largest element"});
  const bool has_elements = part != RowPart::combine;
  Tensor src, dst;
  if (has_elements) src = k.input("src", config.type, kRowAxes);
  const Expr least = kMaximum.neutral(ScalarType::f32);
  const auto keep_column =
      RowState::adjust_to(k, "itself if it is of the largest, else none", column_of_largest);
  RowState state(k, config, part,
                 {{"largest", kMaximum, least, {"slice_largest"}},
                  {"first", kMinimum, no_column(), {"slice_columns"}, keep_column}},
                 k.block_x());
  const View largest = state[0][0], first = state[1][0];
  if (part != RowPart::slices) dst = k.output("dst", ScalarType::u32, {{"row", "rows"}});

  if (has_elements) {
    Row row(k, config, src, least, part, state.slices());
    const TiledArray places = row.blocks_of(src);
    const View x = row.x();                                                  // (value, round, 1)
    const View column = k.make_fragment_like("column", ScalarType::u32, x);  // the same
    // A thread looks for the column only in blocks that raise its maximum: the first one, and few later ones.
    const auto find_column = [&](const Expr& block) {
      k.apply(column, places.part(row.at(block)),
              [&](const std::vector<Expr>& v, const std::vector<Expr>& at) {
                return column_of_largest(convert(at[0], ScalarType::u32), v[0], v[1]);
              },
              {x, largest});
      k.accumulate(first, kMinimum, column);
    };
    state.compute(row, [&](const Expr& block) {
      state.step([&] { k.accumulate(largest, kMaximum, x); },
                 [&] {
                   k.branch(
                       {equal(k.load("earlier", first), no_column())},
                       "the block has a larger element, or is the first",
                       [&] { find_column(block); }, "", [] {});
                 });
    });
  } else {
    state.start();
    state.merge_slices();
  }
  if (part == RowPart::slices) return k.finish();
  k.branch(is_first_of_lines(k, config),
           [&] { k.copy(first, line_values(k, config, dst, {k.block_x()})); });
  return k.finish();
}

}  // namespace vkmoye::gen
