// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/top_k.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>
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
  const Expr bits = builder.let("bits", bitcast(select(ir::equal(x, 0), zero, x), ScalarType::u32));
  const Expr mask = select(less(bits, word(kSign)), word(kSign), word(~0u));
  return builder.let("key", select(ir::is_nan(x), word(kNanKey), bit_xor(bits, mask)));
}

Expr number_of_key(const Expr& key) {
  const Expr mask = select(less(key, word(kSign)), word(~0u), word(kSign));
  const Expr x = bitcast(bit_xor(key, mask), ScalarType::f32);
  const auto number = [](double value) { return ir::number(ScalarType::f32, value); };
  return select(
      ir::equal(key, word(kNoKey)), number(-std::numeric_limits<double>::infinity()),
      select(ir::equal(key, word(kNanKey)), number(std::numeric_limits<double>::quiet_NaN()), x));
}

}  // namespace

TopKConfig top_k_config(ScalarType type, const DeviceCaps& device) {
  return {threads_config(type, device)};
}

const std::vector<ConfigField<TopKConfig>>& top_k_fields() {
  static const auto fields = [] {
    auto k = numbers_field<TopKConfig>("k", "elements of a row of the result, 1 to 64",
                                       {&TopKConfig::k});
    k.changes_result = true;
    return joined<TopKConfig>({k}, threads_fields<TopKConfig>());
  }();
  return fields;
}

namespace {

class TopK {
 public:
  TopK(RowPart part, const TopKConfig& config, std::vector<std::string> reasons, ScalarType type,
       const std::string& name)
      : part_(part),
        config_(config),
        k_(row_builder(name, config, top_k_fields(), std::move(reasons), part,
                       {"k passes; each finds the largest element not yet taken",
                        "k passes over each slice of a row, which find its candidates",
                        "k passes over the candidates of the slices of a row"})) {
    declare(type);
    const bool has_slices = part == RowPart::slices;
    row_.emplace(
        k_, config, src_, part == RowPart::combine ? word(kNoKey) : ir::number(ScalarType::f32, 0),
        has_slices ? part : RowPart::whole, has_slices ? Builder::extent(keys_out_, 1) : Expr(1));
    parts_.emplace(row_->blocks_of(src_));
    const auto keep_column = [this](const RowState::Values& column, const RowState::Values& own,
                                    const RowState::Values& merged) {
      k_.with_title("keep " + column[0].name + " if it is of the largest key", [&] {
        k_.apply(
            column[0],
            [](const Expr& c, const Expr& before, const Expr& now) {
              return select(ir::equal(before, now), c, word(kNoColumn));
            },
            column[0], own[0], merged[0]);
      });
    };
    state_.emplace(
        k_, config, RowPart::whole,
        std::vector<RowState::Part>{{"best", kMaximum, word(kNoKey)},
                                    {"best_column", kMinimum, word(kNoColumn), {}, keep_column}},
        k_.block_x());
  }

  ir::Kernel describe() {
    const View x = row_->x();  // (value, round, 1)
    keys_ = k_.make_fragment_like("keys", u32, x);
    left_ = k_.make_fragment_like("left", u32, x);
    columns_ = k_.make_fragment_like("block_columns", u32, x);
    last_ = single("last"), last_column_ = single("last_column");

    k_.assign(keys_, word(kNoKey));
    row_->read_one_block(to_keys());
    k_.assign(last_, word(kAllKeys));
    k_.assign(last_column_, word(kNoColumn));
    k_.loop("taken", to_index(config_.k), [&](const Expr& taken) {
      state_->start();
      row_->pass([&](const Expr& block) { take(block); }, to_keys());
      state_->merge_threads();
      k_.copy(best(), last_);
      k_.copy(best_column(), last_column_);
      k_.branch(is_first_of_lines(k_, config_), [&] { store(taken); });
    });
    return k_.finish();
  }

 private:
  static constexpr ScalarType u32 = ScalarType::u32;

  void declare(ScalarType type) {
    const auto out = [&](const char* of, ScalarType element) {
      return k_.output(of, element, {{"place", config_.k}, {"row", "rows"}});
    };
    const auto of_slices = [&](const char* of) {
      return k_.output(of, u32, {{"place", config_.k}, {"slice", "slices"}, {"row", "rows"}});
    };
    const std::vector<Builder::AxisSpec> candidates = {{"candidate", "candidates"},
                                                       {"row", "rows"}};
    if (part_ == RowPart::combine) {
      src_ = k_.input(kSliceKeys, u32, candidates);
      slice_columns_ = k_.input(kSliceColumns, u32, candidates);
    } else {
      src_ = k_.input("src", type, kRowAxes);
    }
    if (part_ == RowPart::slices) {
      keys_out_ = of_slices(kSliceKeys);
      columns_out_ = of_slices(kSliceColumns);
    } else {
      values_out_ = out("values", type);
      columns_out_ = out("columns", u32);
    }
  }

  View single(const char* of) { return k_.registers(of, u32, Layout()); }
  const View& best() const { return (*state_)[0][0]; }
  const View& best_column() const { return (*state_)[1][0]; }
  View part(const Expr& block) const { return parts_->part(row_->at(block)); }

  // What follows each read of a block.
  Row::Body to_keys() {
    return [this](const Expr& block) {
      if (part_ == RowPart::combine) {
        k_.copy(row_->x(), keys_);
        return;
      }
      k_.with_title("keys <- numbers in the order of x, 0 past the end of the row", [&] {
        k_.apply(keys_, part(block),
                 [&](const std::vector<Expr>& v, const std::vector<Expr>& at) {
                   const Expr is_inside = less(at[0], Builder::extent(src_, 0));
                   return select(is_inside, key_of(k_, v[0]), word(kNoKey));
                 },
                 {row_->x()});
      });
    };
  }

  // best, best_column <- of the keys that come after `last`, the largest of this thread and its first column.
  void take(const Expr& block) {
    k_.with_title("left <- the keys that are not taken", [&] {
      k_.apply(left_, part(block),
               [&](const std::vector<Expr>& v, const std::vector<Expr>& at) {
                 const Expr is_after_last = ir::logical_or(
                     less(v[0], v[1]),
                     ir::logical_and(ir::equal(v[0], v[1]), less(v[2], convert(at[0], u32))));
                 return select(is_after_last, v[0], word(kNoKey));
               },
               {keys_, last_, last_column_});
    });
    const auto find_column = [&] {
      // Without a key that is left, none: keys of numbers are greater than 1.
      const Expr wanted = k_.let("wanted", maximum(k_.load("largest", best()), word(1)));
      k_.with_title("block_columns <- the columns of the largest keys", [&] {
        k_.apply(columns_, part(block),
                 [&](const std::vector<Expr>& v, const std::vector<Expr>& at) {
                   return select(ir::equal(v[0], wanted), convert(at[0], u32), word(kNoColumn));
                 },
                 {left_});
      });
      k_.accumulate(best_column(), kMinimum, columns_);
    };
    state_->step([&] { k_.accumulate(best(), kMaximum, left_); }, find_column);
  }

  // Result number `taken` of each row, by one of its threads.
  void store(const Expr& taken) {
    const std::int64_t rows = config_.threads / config_.columns;
    const auto to = [&](const Tensor& of) {
      const View of_rows =
          part_ == RowPart::slices
              ? slice(tile(of, {1, 1, rows}, {taken, k_.block_y(), k_.block_x()}), {0, 0, _})
              : slice(tile(of, {1, rows}, {taken, k_.block_x()}), {0, _});
      return line_results(k_, config_, of_rows);
    };
    if (part_ == RowPart::slices) {
      k_.copy(last_, to(keys_out_));
      k_.copy(last_column_, to(columns_out_));
      return;
    }
    k_.with_title("values <- the number of the key", [&] {
      k_.apply(
          to(values_out_), [](const Expr& key) { return number_of_key(key); }, last_);
    });
    if (part_ == RowPart::whole) {
      k_.copy(last_column_, to(columns_out_));
      return;
    }
    const View column = single("column");
    k_.assign(column, word(kNoColumn));
    const Expr candidate =
        k_.let("candidate", ir::to_index(k_.load("of_candidates", last_column_)));
    const Expr row = k_.thread() / to_index(config_.columns);
    const Expr of_row = k_.let("of_row", to_index(rows) * k_.block_x() + row);
    k_.branch({less(candidate, Builder::extent(slice_columns_, 0)),
               less(of_row, Builder::extent(slice_columns_, 1))},
              [&] {
                k_.assign(column, k_.load("column_of_candidate",
                                          ir::Element{kSliceColumns,
                                                      {candidate, of_row},
                                                      "the column of the candidate"}));
              });
    k_.copy(column, to(columns_out_));
  }

  static constexpr const char *kSliceKeys = "slice_keys", *kSliceColumns = "slice_columns";

  const RowPart part_;
  const TopKConfig& config_;
  Builder k_;
  Tensor src_, slice_columns_;                  // inputs
  Tensor keys_out_, values_out_, columns_out_;  // results
  std::optional<Row> row_;
  std::optional<Blocks> parts_;
  std::optional<RowState> state_;
  // Registers like those of a block: keys of elements, those that are left, columns of the largest of these.
  View keys_, left_, columns_;
  View last_, last_column_;  // what was taken last
};

// `type`: that of the values.
ir::Kernel top_k_of(RowPart part, const TopKConfig& wanted, ScalarType type,
                    const std::string& name) {
  const TopKConfig config = fitted_to_rows(wanted);
  std::vector<std::string> reasons =
      part == RowPart::combine ? reasons_against(config) : reasons_against_rows(config);
  require(config.k >= 1 && config.k <= kMaxTaken,
          fmt::format("k {} is outside 1..{}", config.k, kMaxTaken), reasons);
  return TopK(part, config, std::move(reasons), type, name).describe();
}

}  // namespace

ir::Kernel top_k(const TopKConfig& config, const std::string& name, RowPart part) {
  return top_k_of(part, config, config.type, name);
}

ir::Kernel top_k_combine(const TopKConfig& config, ScalarType type, const std::string& name) {
  return top_k_of(RowPart::combine, config, type, name);
}

}  // namespace vkmoye::gen
