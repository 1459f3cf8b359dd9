// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/parts/groups.hpp"

namespace vkmoye::gen {

Tensor declare_groups(Builder& k) {
  for (const char* name : {"experts", "ends", "padded_m"}) k.argument(name, ScalarType::u32);
  return k.input("offsets", ScalarType::u32, {{"group", "ends"}});
}

RowGroup find_group(Builder& k, const Tensor& offsets, std::int64_t rows) {
  const ScalarType u32 = ScalarType::u32;
  const Expr m = ir::variable("m"), experts = ir::variable("experts"), tile = k.block_y();
  const std::uint32_t rows_of_tile = to_index(rows);
  k.grid(1, "padded_m", rows);
  k.assume(ir::not_equal(experts, 0), "there is an expert");
  k.assume(ir::less(experts, Builder::extent(offsets, 0)), "offsets has the end of the last one");
  const auto row_at = [&](const char* name, const Expr& number) {
    return ir::to_index(k.load(name, {offsets.array.name, {number}, "offsets"}));
  };
  const View found = k.shared("found", u32, make_layout({1}));
  const ir::Element last{found.array, {0}, "the last expert"};
  k.titled("the last expert whose tiles begin at this one or before", [&] {
    k.branch({ir::equal(k.thread(), 0)}, [&] { k.store(ir::number(u32, 0), last); });
    k.barrier();
    k.loop("pass", ceil_div(experts, k.threads()), [&](const Expr& pass) {
      const Expr other = k.let("other", pass * k.threads() + k.thread());
      k.branch({ir::less(other, experts)}, [&] {
        const Expr first_tile = row_at("row_of_other", other) / rows_of_tile + other;
        k.branch({ir::less(first_tile, tile + 1)}, [&] {
          k.accumulate_atomically("before", last, kMaximum, ir::convert(other, u32));
        });
      });
    });
    k.barrier();
  });
  const Expr number = ir::to_index(k.load("found_expert", last));
  const Expr expert = k.let("expert", ir::minimum(number, experts - 1));
  const Expr first = row_at("expert_row", expert);
  const Expr end = row_at("expert_end", expert + 1);
  const Expr first_tile = first / rows_of_tile + expert;
  const Expr before = k.let("rows_before", (tile - ir::minimum(tile, first_tile)) * rows_of_tile);
  const Expr row = k.let("tile_row", first + before);
  return {expert,
          row,
          end,
          {ir::less(before, end - ir::minimum(first, end)), ir::logical_not(ir::less(m, end)),
           ir::less(row, m)}};
}

}  // namespace vkmoye::gen
