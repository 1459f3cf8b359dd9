#include "vkmoye/gen/kernels/gemm_buffers.hpp"

namespace vkmoye::gen {

GemmBuffers::GemmBuffers(Builder& k, const GemmForm& form, const std::array<std::int64_t, 3>& tile)
    : k_(k),
      form_(form),
      tile_(tile),
      a_{form.a_k_contiguous, tile[0], k.block_y()},
      b_{form.b_k_contiguous, tile[1], k.block_x()} {
  for (const char* extent : {"m", "n", "k"}) k_.argument(extent, ScalarType::u32);
  a_.tensor = declare(a_, "a", "m", "lda", "stride_a");
  b_.tensor = declare(b_, "b", "n", "ldb", "stride_b");
  std::vector<Builder::AxisName> axes = {{"n", "n"}, {"m", "m", "ldc"}};
  if (form_.batched) axes.push_back({"batch", "batch", "stride_c"});
  if (form_.split_k) axes.push_back({"slice", "slices", "stride_c"});
  c_ = form_.beta ? k_.in_out("c", form_.result, axes) : k_.output("c", form_.result, axes);
  alpha_ = k_.argument("alpha", factor_type(form_));
  if (form_.beta) beta_ = k_.argument("beta", factor_type(form_));
  const Expr all = (ir::variable("k") - 1) / to_index(tile_[2]) + 1;
  tiles_ = all;
  if (!form_.split_k) return;
  const Expr each = k_.let("tiles_each", (all - 1) / ir::variable("slices") + 1);
  first_tile_ = k_.let("first_tile", minimum(k_.block_z() * each, all));
  tiles_ = k_.let("tiles", minimum(each, all - first_tile_));
}

Tensor GemmBuffers::declare(const Operand& operand, const char* name, const char* row,
                            const char* leading, const char* stride) {
  std::vector<Builder::AxisName> axes = {{"k", "k"}, {row, row, leading}};
  if (!operand.k_contiguous) axes = {{row, row}, {"k", "k", leading}};
  if (form_.batched) axes.push_back({"batch", "batch", stride});
  return k_.input(name, form_.operand, axes);
}

// A tile of (first, second) elements; where there are several matrices, they are a third axis, of which
// a workgroup sees one.
View GemmBuffers::one_of(bool several, const Tensor& tensor, std::int64_t first,
                         std::int64_t second, const Expr& i, const Expr& j) const {
  if (!several) return tile(tensor, {first, second}, {i, j});
  return slice(tile(tensor, {first, second, 1}, {i, j, k_.block_z()}), {_, _, 0});
}

View GemmBuffers::of_operand(const Operand& x, const Expr& k_tile) const {
  const Expr at = first_tile_ + k_tile;
  return x.k_contiguous ? one_of(form_.batched, x.tensor, tile_[2], x.rows, at, x.block)
                        : one_of(form_.batched, x.tensor, x.rows, tile_[2], x.block, at);
}

View GemmBuffers::c() const {
  return one_of(form_.batched || form_.split_k, c_, tile_[1], tile_[0], k_.block_x(), k_.block_y());
}

void GemmBuffers::where_there_are_products(const std::function<void()>& body) {
  k_.branch({ir::not_equal(alpha_, ir::number(factor_type(form_), 0)),
             ir::not_equal(ir::variable("k"), 0)},
            body);
}

void GemmBuffers::at_edges(const Expr& k_tile, const std::function<void(Edges)>& load) {
  k_.branch(
      all_of({k_.inside(a(k_tile)), k_.inside(b(k_tile))}), [&] { load(Edges::inside); },
      [&] { load(Edges::zero); });
}

Expr GemmBuffers::tiles() const { return tiles_; }

}  // namespace vkmoye::gen
