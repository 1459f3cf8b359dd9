// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/top_k.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/rows/staged_row.hpp"

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

// What a kernel computes: rows from elements, candidates of slices from elements, rows from candidates.
enum class TopKPart { whole, slices, combine };

const char* comment_of(TopKPart part) {
  switch (part) {
    case TopKPart::whole: return "k passes; each finds the largest element not yet taken";
    case TopKPart::slices: return "k passes over each slice of a row, which find its candidates";
    case TopKPart::combine: return "k passes over the candidates of the slices of a row";
  }
  return "";
}

class TopK {
 public:
  TopK(TopKPart part, const TopKConfig& config, ScalarType type, const std::string& name)
      : part_(part), config_(config), k_(name, config.threads, to_index(config.subgroup_size)) {
    k_.describe(typed_items(top_k_fields(), config), comment_of(part));
    declare(type);
    row_.emplace(k_, config, src_,
                 part == TopKPart::combine ? word(kNoKey) : ir::number(ScalarType::f32, 0),
                 part == TopKPart::slices ? Row::Part::slice : Row::Part::whole,
                 part == TopKPart::slices ? Builder::extent(keys_out_, 1) : Expr(1));
    parts_.emplace(k_, src_, row_->block(), config.tiled_copy());
  }

  ir::Kernel describe() {
    const View x = row_->x();  // (value, round, 1)
    keys_ = k_.make_fragment_like("keys", u32, x);
    left_ = k_.make_fragment_like("left", u32, x);
    block_columns_ = k_.make_fragment_like("block_columns", u32, x);
    last_ = single("last"), last_column_ = single("last_column");
    best_ = single("best"), before_ = single("before");
    own_column_ = single("own_column"), first_in_block_ = single("first_in_block");

    k_.assign(keys_, word(kNoKey));
    row_->read_one_block(to_keys());
    k_.assign(last_, word(kAllKeys));
    k_.assign(last_column_, word(kNoColumn));
    k_.loop("taken", to_index(config_.k), [&](const Expr& taken) {
      find_next();
      k_.branch({ir::equal(k_.thread() % to_index(config_.columns), 0)}, [&] { store(taken); });
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
    if (part_ == TopKPart::combine) {
      src_ = k_.input(kSliceKeys, u32, candidates);
      slice_columns_ = k_.input(kSliceColumns, u32, candidates);
    } else {
      src_ = k_.input("src", type, kRowAxes);
    }
    if (part_ == TopKPart::slices) {
      keys_out_ = of_slices(kSliceKeys);
      columns_out_ = of_slices(kSliceColumns);
    } else {
      values_out_ = out("values", type);
      columns_out_ = out("columns", u32);
    }
  }

  View single(const char* of) { return k_.registers(of, u32, Layout()); }
  View part(const Expr& block) const { return parts_->part({block, k_.block_x()}); }

  // What follows each read of a block.
  Row::Body to_keys() {
    return [this](const Expr& block) {
      if (part_ == TopKPart::combine) {
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

  // last, last_column <- the key and the column of the largest element that comes after them.
  void find_next() {
    k_.assign(best_, word(kNoKey));
    k_.assign(own_column_, word(kNoColumn));
    row_->pass([&](const Expr& block) { find_next_in(block); }, to_keys());
    k_.copy(best_, last_);
    k_.reduce_across(last_, kMaximum, config_.thread_layout(), 0);
    k_.with_title("last_column <- the first column of that key", [&] {
      k_.apply(
          last_column_,
          [](const Expr& p, const Expr& own, const Expr& largest) {
            return select(ir::equal(own, largest), p, word(kNoColumn));
          },
          own_column_, best_, last_);
    });
    k_.reduce_across(last_column_, kMinimum, config_.thread_layout(), 0);
  }

  // The same of a thread and a block: best, own_column.
  void find_next_in(const Expr& block) {
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
    k_.copy(best_, before_);
    k_.accumulate(best_, kMaximum, left_);
    k_.with_title("block_columns <- the columns of the largest keys", [&] {
      k_.apply(block_columns_, part(block),
               [&](const std::vector<Expr>& v, const std::vector<Expr>& at) {
                 return select(ir::equal(v[0], v[1]), convert(at[0], u32), word(kNoColumn));
               },
               {left_, best_});
    });
    k_.assign(first_in_block_, word(kNoColumn));
    k_.accumulate(first_in_block_, kMinimum, block_columns_);
    k_.with_title("own_column <- first_in_block if the block has a larger key", [&] {
      k_.apply(
          own_column_,
          [&](const Expr& p, const Expr& in_block, const Expr& now, const Expr& earlier) {
            return select(less(earlier, now), in_block, p);
          },
          own_column_, first_in_block_, best_, before_);
    });
  }

  // Result number `taken` of each row, by one of its threads.
  void store(const Expr& taken) {
    const std::int64_t rows = row_->block().leaf(1);
    const Expr row = k_.thread() / to_index(config_.columns);
    const auto to = [&](const Tensor& of) {
      if (part_ == TopKPart::slices) {
        return parallelize(tile(of, {1, 1, rows}, {taken, k_.block_y(), k_.block_x()}),
                           make_layout({1, 1, rows}), row);
      }
      return parallelize(tile(of, {1, rows}, {taken, k_.block_x()}), make_layout({1, rows}), row);
    };
    if (part_ == TopKPart::slices) {
      k_.copy(last_, to(keys_out_));
      k_.copy(last_column_, to(columns_out_));
      return;
    }
    k_.with_title("values <- the number of the key", [&] {
      k_.apply(
          to(values_out_), [](const Expr& key) { return number_of_key(key); }, last_);
    });
    if (part_ == TopKPart::whole) {
      k_.copy(last_column_, to(columns_out_));
      return;
    }
    const View column = single("column");
    k_.assign(column, word(kNoColumn));
    const Expr candidate =
        k_.let("candidate", ir::to_index(k_.load("of_candidates", last_column_)));
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

  const TopKPart part_;
  const TopKConfig& config_;
  Builder k_;
  Tensor src_, slice_columns_;                  // inputs
  Tensor keys_out_, values_out_, columns_out_;  // results
  std::optional<Row> row_;
  std::optional<Blocks> parts_;
  // Registers like those of a block: keys of elements, those that are left, columns of the largest of these.
  View keys_, left_, block_columns_;
  View last_, last_column_;  // what was taken last
  View best_, before_, own_column_, first_in_block_;
};

// `wanted` with all values set. Throws KernelError with the reasons against it, first those of its rows.
TopKConfig accepted_top_k(const TopKConfig& wanted, bool of_elements, const std::string& name) {
  TopKConfig config = fitted_to_rows(wanted);
  std::vector<std::string> reasons =
      of_elements ? reasons_against_rows(config) : reasons_against(config);
  if (config.k < 1 || config.k > kMaxTaken) {
    reasons.push_back(fmt::format("k {} is outside 1..{}", config.k, kMaxTaken));
  }
  throw_if_any(name, std::move(reasons));
  return config;
}

}  // namespace

ir::Kernel top_k(const TopKConfig& wanted, const std::string& name) {
  const TopKConfig config = accepted_top_k(wanted, /*of_elements=*/true, name);
  return TopK(TopKPart::whole, config, config.type, name).describe();
}

ir::Kernel top_k_slices(const TopKConfig& wanted, const std::string& name) {
  const TopKConfig config = accepted_top_k(wanted, /*of_elements=*/true, name);
  return TopK(TopKPart::slices, config, config.type, name).describe();
}

ir::Kernel top_k_combine(const TopKConfig& wanted, ScalarType type, const std::string& name) {
  const TopKConfig config = accepted_top_k(wanted, /*of_elements=*/false, name);
  return TopK(TopKPart::combine, config, type, name).describe();
}

}  // namespace vkmoye::gen
