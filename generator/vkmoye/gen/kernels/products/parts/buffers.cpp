// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/parts/buffers.hpp"

#include <fmt/format.h>

namespace vkmoye::gen {

GemmBuffers::GemmBuffers(Builder& builder, const GemmForm& form,
                         const std::array<std::int64_t, 3>& tile, std::int64_t strip,
                         const PackedOperands& packed)
    : builder_(builder),
      form_(form),
      tile_(tile),
      in_strips_(strip > 1 && !form.batched && !form.split_k && !form.grouped),
      has_words_(form.weights != nullptr && !packed.b),
      reads_b_(!packed.b),
      a_{form.a_type, form.a_k_contiguous, tile[0], builder.block_y()},
      b_{form.b_type, form.b_k_contiguous, tile[1], builder.block_x()},
      result_(declare(packed)) {
  if (in_strips_) {
    builder.grid(0, "m", tile[0], strip);
    builder.grid(1, "n", tile[1]);
    builder.grid(2, "m", tile[0] * strip);
    a_.tile_number =
        builder.let("tile_m", Expr(to_index(strip)) * builder.block_z() + builder.block_x());
    b_.tile_number = builder.block_y();
  }
  if (form_.split_k && form_.batched) {
    batch_ = builder_.let("batch_at", builder_.block_z() / ir::variable("slices"));
  } else if (form_.batched) {
    batch_ = builder_.block_z();
  } else if (form_.grouped) {
    row_group_ = find_row_group(builder_, offsets_, tile[0]);
    a_.tile_number = 0;
  }
  if (!packed.a) tiles_ = of_slice((ir::variable("k") - 1) / to_index(tile_[2]) + 1);
}

GemmResult GemmBuffers::declare(const PackedOperands& packed) {
  for (const char* extent : {"m", "n", "k"}) builder_.argument(extent, ScalarType::u32);
  if (has_words_) builder_.argument("words", ScalarType::u32);
  if (!packed.a) a_.tensor = declare(a_, "a", "m", "lda", "stride_a", /*in_blocks=*/false);
  if (!packed.b) b_.tensor = declare(b_, "b", "n", "ldb", "stride_b", form_.weights != nullptr);
  if (packed.declare) packed.declare();
  if (form_.grouped) offsets_ = declare_row_groups(builder_);
  return {builder_, form_};
}

Tensor GemmBuffers::declare(const Operand& operand, const char* name, const char* row,
                            const char* leading, const char* stride, bool in_blocks) {
  std::vector<Builder::AxisSpec> axes = {{"k", "k"}, {row, row, leading}};
  if (in_blocks) axes[0] = {"word", "words"};
  if (!operand.k_contiguous) axes = {{row, row}, {"k", "k", leading}};
  if (form_.batched) axes.push_back({"batch", "batch", stride});
  if (form_.grouped && &operand == &b_) axes.push_back({"expert", "experts", stride});
  return builder_.input(name, in_blocks ? ScalarType::u16 : operand.type, axes);
}

View GemmBuffers::of_operand(const Operand& x, const Expr& k_tile) const {
  const Expr at = tiles_.first + k_tile;
  const bool is_grouped_a = row_group_ && &x == &a_;
  const std::optional<Expr> which = is_grouped_a ? std::nullopt : matrix_of_b();
  const View view = x.k_contiguous
                        ? matrix_tile(x.tensor, tile_[2], x.rows, at, x.tile_number, which)
                        : matrix_tile(x.tensor, x.rows, tile_[2], x.tile_number, at, which);
  return is_grouped_a ? shifted(view, 1, row_group_->first, ir::variable("m")) : view;
}

std::optional<Expr> GemmBuffers::matrix_of_b() const {
  return row_group_ ? std::optional(row_group_->number) : batch_;
}

View GemmBuffers::b_words(const Expr& k_tile, std::int64_t words) const {
  return matrix_tile(b_.tensor, words, b_.rows, tiles_.first + k_tile, b_.tile_number,
                     matrix_of_b());
}

View GemmBuffers::c() const {
  const View view = result_.c(tile_[1], tile_[0], b_.tile_number, a_.tile_number);
  return row_group_ ? shifted(view, 1, row_group_->first, row_group_->end) : view;
}

void GemmBuffers::if_has_elements(const std::function<void()>& body) {
  if (row_group_) return builder_.branch(row_group_->has_rows, body);
  if (!in_strips_) return body();
  builder_.branch({ir::less(Expr(to_index(tile_[0])) * a_.tile_number, ir::variable("m"))}, body);
}

void GemmBuffers::if_has_products(const std::function<void()>& body) {
  Conditions has_products = {ir::not_equal(alpha(), ir::number(factor_type(form_), 0)),
                             ir::not_equal(ir::variable("k"), 0)};
  if (has_words_) has_products.push_back(ir::not_equal(ir::variable("words"), 0));
  builder_.branch(has_products, body);
}

void GemmBuffers::at_edges(const std::vector<View>& tiles, const std::function<void(Edges)>& load) {
  Conditions all;
  for (const View& tile : tiles) all = all_of({all, builder_.inside(tile)});
  const bool is_one = tiles.size() == 1;
  builder_.branch(
      all, is_one ? "a whole tile" : "whole tiles", [&] { load(Edges::inside); },
      is_one ? "a tile at an edge, 0 outside" : "tiles at an edge, 0 outside",
      [&] { load(Edges::zero); });
}

void GemmBuffers::by_alignment(const Conditions& fits, const std::function<void(Moved)>& move) {
  builder_.branch(
      fits,
      fmt::format("rows of {} are aligned: they are read in vectors", reads_b_ ? "A and B" : "A"),
      [&] { move(Moved::in_vectors); },
      fmt::format("rows of {} are not aligned: they are read element by element",
                  reads_b_ ? "A or B" : "A"),
      [&] { move(Moved::one_by_one); });
}

ir::Kernel GemmBuffers::finish() {
  if (row_group_) {
    builder_.assume_written(result_.tensor(), "offsets rise from 0 to m: each row is in one group");
  }
  return builder_.finish();
}

KTiles GemmBuffers::of_slice(const Expr& all) {
  if (!form_.split_k) return {0, all};
  const Expr slices = ir::variable("slices");
  const Expr slice = form_.batched ? builder_.block_z() % slices : builder_.block_z();
  const Expr each = builder_.let("tiles_each", (all - 1) / slices + 1);
  const Expr first = builder_.let("first_tile", minimum(slice * each, all));
  return {first, builder_.let("tiles", minimum(each, all - first))};
}

Expr GemmBuffers::whole_tiles() const {
  const Expr of_k = ir::variable("k") / to_index(tile_[2]);
  return form_.split_k ? minimum(tiles_.count, of_k - tiles_.first) : of_k;
}

}  // namespace vkmoye::gen
