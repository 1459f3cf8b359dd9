// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/top_k.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "vkmoye/gen/kernels/rows/row_state.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::uint32_t kNoColumn = std::numeric_limits<std::uint32_t>::max();
// Keys of numbers are 0x007fffff (-infinity) to 0xff800000 (infinity).
constexpr std::uint32_t kNoKey = 0, kNanKey = ~0u - 1, kAllKeys = ~0u;
constexpr std::uint32_t kSign = 0x80000000;

Expr word(std::uint32_t value) { return ir::number(ScalarType::u32, value); }

// A number in u32 for each x of f32, in the same order.
Expr key_of(Builder& builder, const Expr& x) {
  const Expr zero = ir::number(ScalarType::f32, 0);
  const Expr bits = builder.let("bits", bitcast(select(equal(x, 0), zero, x), ScalarType::u32));
  const Expr mask = select(less(bits, word(kSign)), word(kSign), word(~0u));
  return builder.let("key", select(ir::is_nan(x), word(kNanKey), bit_xor(bits, mask)));
}

Expr number_of_key(const Expr& key) {
  const Expr mask = select(less(key, word(kSign)), word(~0u), word(kSign));
  const Expr x = bitcast(bit_xor(key, mask), ScalarType::f32);
  const auto number = [](double value) { return ir::number(ScalarType::f32, value); };
  return select(
      equal(key, word(kNoKey)), number(-std::numeric_limits<double>::infinity()),
      select(equal(key, word(kNanKey)), number(std::numeric_limits<double>::quiet_NaN()), x));
}

}  // namespace

TopKConfig top_k_config(ScalarType type, const DeviceCaps& device) {
  return {threads_config(type, device)};
}

const std::vector<ConfigField<TopKConfig>>& top_k_fields() {
  static const auto fields = [] {
    auto k = numbers_field<TopKConfig>(
        "k", "elements of a row of the result, 1 to 64; beyond the columns of src, -infinity",
        {&TopKConfig::k});
    k.changes_result = true;
    return joined<TopKConfig>({k}, threads_fields<TopKConfig>());
  }();
  return fields;
}

namespace {

constexpr ScalarType u32 = ScalarType::u32;
constexpr const char *kSliceKeys = "slice_keys", *kSliceColumns = "slice_columns";

Expr if_largest(const Expr& column, const Expr& key, const Expr& largest) {
  return select(equal(key, largest), column, word(kNoColumn));
}

// The column of number `candidate` of the row, where the candidates have it.
View column_of(Builder& k, const View& candidate, const Expr& row, const Tensor& columns) {
  const View column = k.registers("column", u32, Layout());
  k.assign(column, word(kNoColumn));
  const Expr at = k.let("candidate", to_index(k.load("of_candidates", candidate)));
  const Expr of_row = k.let("of_row", row);
  const Conditions is_inside = {less(at, columns.extent(0)), less(of_row, columns.extent(1))};
  k.branch(is_inside, [&] {
    const ir::Element from = {kSliceColumns, {at, of_row}, "the column of the candidate"};
    k.assign(column, k.load("column_of_candidate", from));
  });
  return column;
}

// `type`: that of the values.
ir::Kernel top_k_of(RowPart part, const TopKConfig& wanted, ScalarType type,
                    const std::string& name) {
  const bool has_candidates = part == RowPart::combine, has_slices = part == RowPart::slices;
  const TopKConfig config = fitted_to_rows(wanted, std::nullopt, RowUse::searched);
  std::vector<std::string> reasons =
      has_candidates ? reasons_against(config) : reasons_against_rows(config);
  require(config.k >= 1 && config.k <= kMaxTaken,
          fmt::format("k {} is outside 1..{}", config.k, kMaxTaken), reasons);
  Builder k = row_builder(name, config, top_k_fields(), std::move(reasons), part,
                          {"k passes; each finds the largest element not yet taken",
                           "k passes over each slice of a row, which find its candidates",
                           "k passes over the candidates of the slices of a row"});
  const std::vector<Builder::AxisSpec> candidates = {{"candidate", "candidates"}, {"row", "rows"}};
  const Tensor src =
      has_candidates ? k.input(kSliceKeys, u32, candidates) : k.input("src", type, kRowAxes);
  Tensor slice_columns;
  if (has_candidates) slice_columns = k.input(kSliceColumns, u32, candidates);
  std::vector<Builder::AxisSpec> places = {{"place", config.k}, {"row", "rows"}};
  if (has_slices) places.insert(places.begin() + 1, {"slice", "slices"});
  // Of slices, the values are keys.
  const Tensor values =
      k.output(has_slices ? kSliceKeys : "values", has_slices ? u32 : type, places);
  const Tensor columns = k.output(has_slices ? kSliceColumns : "columns", u32, places);

  // Candidates are rows of keys.
  Row row(k, config, src, has_candidates ? word(kNoKey) : ir::number(ScalarType::f32, 0),
          has_slices ? part : RowPart::whole, has_slices ? values.extent(1) : Expr(1));
  const TiledArray parts = row.blocks_of(src);
  const auto keep_column =
      RowState::adjust_to(k, "itself if it is of the largest key, else none", if_largest);
  RowState state(k, config, RowPart::whole,
                 {{"best", kMaximum, word(kNoKey)},
                  {"best_column", kMinimum, word(kNoColumn), {}, keep_column}},
                 k.block_x());
  const View best = state[0][0], best_column = state[1][0];
  const View x = row.x();  // (value, round, 1), and so are:
  const View keys = k.make_fragment_like("keys", u32, x),
             left = k.make_fragment_like("left", u32, x),
             block_columns = k.make_fragment_like("block_columns", u32, x);
  const View last = k.registers("last", u32, Layout());  // taken
  const View last_column = k.registers("last_column", u32, Layout());

  // What follows each read of a block.
  const auto to_keys = [&](const Expr& block) {
    if (has_candidates) return k.copy(x, keys);
    k.with_title("keys <- numbers in the order of x, 0 past the end of the row", [&] {
      k.apply(keys, parts.part(row.at(block)),
              [&](const std::vector<Expr>& v, const std::vector<Expr>& at) {
                const Expr is_inside = less(at[0], src.extent(0));
                return select(is_inside, key_of(k, v[0]), word(kNoKey));
              },
              {x});
    });
  };
  // best, best_column <- of the keys that come after the last one, the largest of this thread and its first column.
  const auto take = [&](const Expr& block) {
    const View at_places = parts.part(row.at(block));
    k.with_title("left <- the keys that are not taken", [&] {
      k.apply(left, at_places,
              [&](const std::vector<Expr>& v, const std::vector<Expr>& at) {
                const Expr is_after_last =
                    ir::logical_or(less(v[0], v[1]),
                                   logical_and(equal(v[0], v[1]), less(v[2], convert(at[0], u32))));
                return select(is_after_last, v[0], word(kNoKey));
              },
              {keys, last, last_column});
    });
    const auto find_column = [&] {
      // Without a key that is left, none: keys of numbers are greater than 1.
      const Expr largest = k.let("wanted", maximum(k.load("largest", best), word(1)));
      k.with_title("block_columns <- the columns of the largest keys", [&] {
        k.apply(block_columns, at_places,
                [&](const std::vector<Expr>& v, const std::vector<Expr>& at) {
                  return if_largest(convert(at[0], u32), v[0], largest);
                },
                {left});
      });
      k.accumulate(best_column, kMinimum, block_columns);
    };
    state.step([&] { k.accumulate(best, kMaximum, left); }, find_column);
  };
  // Result number `taken` of each row, by one of its threads.
  const auto store = [&](const Expr& taken) {
    std::vector<Expr> at = {taken, k.block_x()};
    if (has_slices) at.insert(at.begin() + 1, k.block_y());
    const auto to = [&](const Tensor& of) { return line_values(k, config, of, at); };
    if (has_slices) {
      k.copy(last, to(values));
    } else {
      k.with_title("values <- the number of the key",
                   [&] { k.apply(to(values), number_of_key, last); });
    }
    const Expr of_row = to_index(config.threads / config.columns) * k.block_x() +
                        k.thread() / to_index(config.columns);
    k.copy(has_candidates ? column_of(k, last_column, of_row, slice_columns) : last_column,
           to(columns));
  };

  k.assign(keys, word(kNoKey));
  row.read_one_block(to_keys);
  k.assign(last, word(kAllKeys));
  k.assign(last_column, word(kNoColumn));
  k.loop("taken", to_index(config.k), [&](const Expr& taken) {
    state.start();
    row.pass(take, to_keys);
    state.merge_threads();
    k.copy(best, last);
    k.copy(best_column, last_column);
    k.branch(is_first_of_lines(k, config), [&] { store(taken); });
  });
  return k.finish();
}

}  // namespace

ir::Kernel top_k(const TopKConfig& config, const std::string& name, RowPart part) {
  return top_k_of(part, config, config.type, name);
}

ir::Kernel top_k_combine(const TopKConfig& config, ScalarType type, const std::string& name) {
  return top_k_of(RowPart::combine, config, type, name);
}

}  // namespace vkmoye::gen
