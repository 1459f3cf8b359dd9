// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/top_k.hpp"

#include <fmt/format.h>

#include <limits>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/rows/staged_row.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kMaxTaken = 64;
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

ir::Kernel top_k(const TopKConfig& wanted, const std::string& name) {
  const TopKConfig config = fitted_to_rows(wanted);
  std::vector<std::string> reasons = reasons_against_rows(config);
  if (config.k < 1 || config.k > kMaxTaken) {
    reasons.push_back(fmt::format("k {} is outside 1..{}", config.k, kMaxTaken));
  }
  throw_if_any(name, std::move(reasons));

  constexpr ScalarType u32 = ScalarType::u32;
  Builder builder(name, config.threads, to_index(config.subgroup_size));
  builder.describe(typed_items(top_k_fields(), config),
                   "k passes; each finds the largest element not yet taken");
  const Tensor src = builder.input("src", config.type, kRowAxes);
  const Tensor values =
      builder.output("values", config.type, {{"place", config.k}, {"row", "rows"}});
  const Tensor columns = builder.output("columns", u32, {{"place", config.k}, {"row", "rows"}});
  Row row(builder, config, src, ir::number(ScalarType::f32, 0));
  const Blocks parts(builder, src, row.block(), config.tiled_copy());
  const View x = row.x();                                        // (value, round, 1)
  const View keys = builder.make_fragment_like("keys", u32, x);  // those that are left
  const View block_columns = builder.make_fragment_like("block_columns", u32, x);
  const auto single = [&](const char* of) { return builder.registers(of, u32, Layout()); };
  const View last = single("last"), last_column = single("last_column");
  const View best = single("best"), before = single("before");
  const View own_column = single("own_column"), first_in_block = single("first_in_block");

  row.pass([](const Expr&) {});
  builder.assign(last, word(kAllKeys));
  builder.assign(last_column, word(kNoColumn));
  const std::int64_t rows = row.block().leaf(1);
  const Expr threads_per_row = to_index(config.columns);
  builder.loop("taken", to_index(config.k), [&](const Expr& taken) {
    builder.assign(best, word(kNoKey));
    builder.assign(own_column, word(kNoColumn));
    row.pass([&](const Expr& block) {
      const View part = parts.part({block, builder.block_x()});
      builder.with_title("keys <- numbers in the order of x, 0 for those that are taken", [&] {
        builder.apply(keys, part,
                      [&](const std::vector<Expr>& v, const std::vector<Expr>& at) {
                        const Expr key = key_of(builder, v[0]);
                        const Expr is_after_last = ir::logical_or(
                            less(key, v[1]),
                            ir::logical_and(ir::equal(key, v[1]), less(v[2], convert(at[0], u32))));
                        const Expr is_left =
                            ir::logical_and(less(at[0], Builder::extent(src, 0)), is_after_last);
                        return select(is_left, key, word(kNoKey));
                      },
                      {x, last, last_column});
      });
      builder.copy(best, before);
      builder.accumulate(best, kMaximum, keys);
      builder.with_title("block_columns <- the columns of the largest keys", [&] {
        builder.apply(block_columns, part,
                      [&](const std::vector<Expr>& v, const std::vector<Expr>& at) {
                        return select(ir::equal(v[0], v[1]), convert(at[0], u32), word(kNoColumn));
                      },
                      {keys, best});
      });
      builder.assign(first_in_block, word(kNoColumn));
      builder.accumulate(first_in_block, kMinimum, block_columns);
      builder.with_title("own_column <- first_in_block if the block has a larger key", [&] {
        builder.apply(
            own_column,
            [&](const Expr& p, const Expr& in_block, const Expr& now, const Expr& earlier) {
              return select(less(earlier, now), in_block, p);
            },
            own_column, first_in_block, best, before);
      });
    });
    builder.copy(best, last);
    builder.reduce_across(last, kMaximum, config.thread_layout(), 0);
    builder.with_title("last_column <- the first column of that key", [&] {
      builder.apply(
          last_column,
          [](const Expr& p, const Expr& own, const Expr& largest) {
            return select(ir::equal(own, largest), p, word(kNoColumn));
          },
          own_column, best, last);
    });
    builder.reduce_across(last_column, kMinimum, config.thread_layout(), 0);
    const auto to = [&](const Tensor& of) {
      return parallelize(tile(of, {1, rows}, {taken, builder.block_x()}), make_layout({1, rows}),
                         builder.thread() / threads_per_row);
    };
    builder.branch({ir::equal(builder.thread() % threads_per_row, 0)}, [&] {
      builder.with_title("values <- the number of the key", [&] {
        builder.apply(
            to(values), [](const Expr& key) { return number_of_key(key); }, last);
      });
      builder.copy(last_column, to(columns));
    });
  });
  return builder.finish();
}

}  // namespace vkmoye::gen
