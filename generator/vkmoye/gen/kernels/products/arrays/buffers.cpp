// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/arrays/buffers.hpp"

#include <fmt/format.h>

namespace vkmoye::gen {

using Use = ir::MatrixType::Use;

namespace {

OperandArray declared(Builder& builder, const GemmForm& form, const GemmOperand& operand,
                      const Expr& tile_number, const std::optional<PackedBlocks>& packed) {
  OperandArray x{operand, tile_number, packed.has_value()};
  const std::string name = x.name, row = x.use == Use::a ? "m" : "n";
  if (packed) {
    x.tensor = builder.input(
        name, packed->type,
        {{"at", packed->elements}, {"k_block", "k_blocks"}, {"block", name + "_blocks"}});
    if (form.batched) x.step = builder.argument(name + "_step", ScalarType::u32);
    return x;
  }
  std::vector<Builder::AxisSpec> axes = {{"k", "k"}, {row, row, "ld" + name}};
  if (x.in_blocks) axes[0] = {"word", "words"};
  if (!x.k_contiguous) axes = {{row, row}, {"k", "k", "ld" + name}};
  if (form.batched) axes.push_back({"batch", "batch", "stride_" + name});
  if (form.has_experts && x.use == Use::b) axes.push_back({"expert", "experts", "stride_" + name});
  x.tensor = builder.input(name, x.in_blocks ? ScalarType::u16 : x.type, axes);
  return x;
}

// The tiles of this workgroup's slice of k, if k has `all` tiles.
KTiles slice_of(Builder& builder, const GemmForm& form, const Expr& slices, const Expr& all) {
  if (!form.split_k) return {0, all};
  const Expr slice = form.batched ? builder.block_z() % slices : builder.block_z();
  const Expr each = builder.let("tiles_each", (all - 1) / slices + 1);
  const Expr first = builder.let("first_tile", minimum(slice * each, all));
  return {first, builder.let("tiles", minimum(each, all - first))};
}

}  // namespace

GemmBuffers::GemmBuffers(Builder& builder, const GemmForm& form,
                         const std::array<std::int64_t, 3>& tile, std::int64_t strip,
                         const PackedOperands& packed)
    : builder_(builder),
      form_(form),
      tile_(tile),
      in_strips_(strip > 1 && !form.batched && !form.split_k && !form.has_experts),
      m_(builder.argument("m", ScalarType::u32)),
      n_(builder.argument("n", ScalarType::u32)),
      k_(builder.argument("k", ScalarType::u32)),
      words_(form.weights == nullptr || packed.b
                 ? std::nullopt
                 : std::optional(builder.argument("words", ScalarType::u32))),
      a_(declared(builder, form, operand_a(form, tile[0]), builder.block_y(), packed.a)),
      b_(declared(builder, form, operand_b(form, tile[1]), builder.block_x(), packed.b)),
      offsets_(form.has_experts ? std::optional(declare_expert_offsets(builder)) : std::nullopt),
      result_(builder, form) {
  if (in_strips_) {
    builder.grid(0, "m", tile[0], strip);
    builder.grid(1, "n", tile[1]);
    builder.grid(2, "m", tile[0] * strip);
    a_.tile_number =
        builder.let("tile_m", Expr(to_index(strip)) * builder.block_z() + builder.block_x());
    b_.tile_number = builder.block_y();
  }
  if (form.split_k && form.batched) {
    batch_ = builder.let("batch_at", builder.block_z() / result_.slices());
  } else if (form.batched) {
    batch_ = builder.block_z();
  } else if (form.has_experts) {
    expert_rows_ = find_expert_rows(builder, *offsets_, m_, tile[0]);
    a_.tile_number = 0;
  }
  if (a_.is_packed) return;  // its blocks along k are counted by the kernel
  tiles_ = slice_of(builder, form, result_.slices(), (k_ - 1) / to_index(tile[2]) + 1);
}

View GemmBuffers::tile_of(Use use, const Expr& k_tile, std::int64_t words) const {
  const OperandArray& x = operand(use);
  const Expr at = tiles_.first + k_tile;
  const std::int64_t depth = words > 0 ? words : tile_[2];
  const bool is_grouped_a = expert_rows_ && use == Use::a;
  std::optional<Expr> which = batch_;
  if (expert_rows_) which = is_grouped_a ? std::nullopt : std::optional(expert_rows_->number);
  const View view = x.k_contiguous ? matrix_tile(x.tensor, depth, x.rows, at, x.tile_number, which)
                                   : matrix_tile(x.tensor, x.rows, depth, x.tile_number, at, which);
  return is_grouped_a ? shifted(view, 1, expert_rows_->first, m_) : view;
}

View GemmBuffers::packed_block(Use use, const Expr& k_block, const Expr& block) const {
  const Tensor& tensor = operand(use).tensor;
  const IntTuple one_block{tensor.array.axes[0].extent.value, 1, 1};
  return slice(tile(tensor, one_block, {0, k_block, block}), {_, 0, 0});
}

Expr GemmBuffers::block_of_rows(Use use, const Expr& block) const {
  const OperandArray& x = operand(use);
  return minimum(batch_ ? block + *batch_ * x.step : block, x.tensor.extent(2) - 1);
}

View GemmBuffers::c() const {
  const View view = result_.c(tile_[1], tile_[0], b_.tile_number, a_.tile_number);
  return expert_rows_ ? shifted(view, 1, expert_rows_->first, expert_rows_->end) : view;
}

void GemmBuffers::if_has_elements(const std::function<void()>& body) {
  if (expert_rows_) return builder_.branch(expert_rows_->has_rows, body);
  if (!in_strips_) return body();
  builder_.branch({less(Expr(to_index(tile_[0])) * a_.tile_number, m_)}, body);
}

void GemmBuffers::if_has_products(const std::function<void()>& body) {
  Conditions has_products = {not_equal(alpha(), ir::number(factor_type(form_), 0)),
                             not_equal(k_, 0)};
  if (words_) has_products.push_back(not_equal(*words_, 0));
  Conditions has_blocks;
  for (const OperandArray* x : {&a_, &b_}) {
    if (!x->is_packed) continue;
    if (has_blocks.empty()) has_blocks.push_back(less(0, k_blocks()));
    has_blocks.push_back(less(0, x->tensor.extent(2)));
  }
  builder_.branch(has_products, [&] { builder_.branch(has_blocks, body); });
}

void GemmBuffers::by_alignment(const Conditions& fits, const std::function<void(Moved)>& move) {
  builder_.branch(
      fits,
      fmt::format("rows of {} are aligned: they are read in vectors",
                  !b_.is_packed ? "A and B" : "A"),
      [&] { move(Moved::in_vectors); },
      fmt::format("rows of {} are not aligned: they are read one by one",
                  !b_.is_packed ? "A or B" : "A"),
      [&] { move(Moved::one_by_one); });
}

ir::Kernel GemmBuffers::kernel(const Steps& steps) {
  if_has_elements([&] {
    steps.clear();
    if_has_products(steps.sum_up);
    steps.write();
  });
  if (expert_rows_) {
    builder_.assume_written(result_.tensor(), "offsets rise from 0 to m: each row is in one group");
  }
  return builder_.finish();
}

KTiles GemmBuffers::of_slice(const Expr& all) {
  return slice_of(builder_, form_, result_.slices(), all);
}

Expr GemmBuffers::whole_tiles() const {
  const Expr of_k = k_ / to_index(tile_[2]);
  return form_.split_k ? minimum(tiles_.count, of_k - tiles_.first) : of_k;
}

}  // namespace vkmoye::gen
