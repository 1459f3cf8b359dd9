// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/argmax.hpp"

#include <limits>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/rows/staged_row.hpp"

namespace vkmoye::gen {

ir::Kernel argmax(const ThreadsConfig& wanted, const std::string& name) {
  const ThreadsConfig config = fitted_to_rows(wanted);
  throw_if_any(name, reasons_against_rows(config));

  Builder k(name, config.threads, to_index(config.subgroup_size));
  k.describe(typed_items(threads_fields<ThreadsConfig>(), config),
             "rows that fit stay in registers, longer ones are read twice");
  const Tensor src = k.input("src", config.type, {{"col", "cols"}, {"row", "rows"}});
  const Tensor dst = k.output("dst", ScalarType::u32, {{"row", "rows"}});
  const Expr least = kMaximum.neutral(ScalarType::f32);
  Row row(k, config, src, least);
  const Blocks places(k, src, row.block(), config.copy());
  const View x = row.x();                                                  // (value, round, 1)
  const View column = k.make_fragment_like("column", ScalarType::u32, x);  // the same
  const View largest = k.registers("largest", ScalarType::f32, Layout());  // one value
  const View first = k.registers("first", ScalarType::u32, Layout());

  k.assign(largest, least);
  row.pass([&](const Expr&) { k.accumulate(largest, kMaximum, x); });
  k.reduce_across(largest, kMaximum, config.layout(), 0);

  const Expr none = ir::number(ScalarType::u32, std::numeric_limits<std::uint32_t>::max());
  k.assign(first, none);
  row.pass([&](const Expr& block) {
    k.titled("column <- that of x if x is the largest", [&] {
      k.apply(column, places.part({block, k.block_x()}),
              [&](const std::vector<Expr>& v, const std::vector<Expr>& at) {
                const Expr is_largest = ir::logical_or(ir::equal(v[0], v[1]), ir::is_nan(v[0]));
                return select(is_largest, convert(at[0], ScalarType::u32), none);
              },
              {x, largest});
    });
    k.accumulate(first, kMinimum, column);
  });
  k.reduce_across(first, kMinimum, config.layout(), 0);

  const std::int64_t rows = row.block().leaf(1);
  const Expr columns = to_index(config.columns);
  const View to =
      parallelize(tile(dst, {rows}, {k.block_x()}), make_layout({rows}), k.thread() / columns);
  k.branch({ir::equal(k.thread() % columns, 0)}, [&] { k.copy(first, to); });
  return k.finish();
}

}  // namespace vkmoye::gen
