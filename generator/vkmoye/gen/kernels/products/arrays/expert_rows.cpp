// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/arrays/expert_rows.hpp"

namespace vkmoye::gen {

Tensor declare_expert_offsets(Builder& builder) {
  for (const char* name : {"experts", "ends", "padded_m"}) builder.argument(name, ScalarType::u32);
  return builder.input("offsets", ScalarType::u32, {{"expert", "ends"}});
}

ExpertRows find_expert_rows(Builder& builder, const Tensor& offsets, const Expr& m,
                            std::int64_t rows) {
  const ScalarType u32 = ScalarType::u32;
  const Expr experts = builder.argument("experts", u32), tile = builder.block_y();
  const std::uint32_t rows_of_tile = to_index(rows);
  builder.grid(1, "padded_m", rows);
  builder.assume(not_equal(experts, 0), "there is an expert");
  builder.assume(less(experts, offsets.extent(0)), "offsets has the end of the last one");
  const auto row_at = [&](const char* name, const Expr& number) {
    return to_index(builder.load(name, {offsets.array.name, {number}, "offsets"}));
  };
  const View found = builder.shared("found", u32, make_layout({1}));
  const ir::Element last{found.array, {0}, "the last expert"};
  builder.with_title("the expert of this tile: the last one whose first tile is not after it", [&] {
    builder.branch({equal(builder.thread(), 0)}, [&] { builder.store(ir::number(u32, 0), last); });
    builder.barrier();
    builder.loop("pass", ceil_div(experts, builder.threads()), [&](const Expr& pass) {
      const Expr other = builder.let("other", pass * builder.threads() + builder.thread());
      builder.branch({less(other, experts)}, [&] {
        const Expr first_tile = row_at("row_of_other", other) / rows_of_tile + other;
        builder.branch({less(first_tile, tile + 1)}, [&] {
          builder.accumulate_atomically("before", last, kMaximum, convert(other, u32));
        });
      });
    });
    builder.barrier();
  });
  const Expr number = to_index(builder.load("found_expert", last));
  const Expr expert = builder.let("expert", minimum(number, experts - 1));
  const Expr first = row_at("expert_row", expert);
  const Expr end = row_at("expert_end", expert + 1);
  const Expr first_tile = first / rows_of_tile + expert;
  const Expr before = builder.let("rows_before", (tile - minimum(tile, first_tile)) * rows_of_tile);
  const Expr row = builder.let("tile_row", first + before);
  return {expert,
          row,
          end,
          {less(before, end - minimum(first, end)), logical_not(less(m, end)), less(row, m)}};
}

}  // namespace vkmoye::gen
