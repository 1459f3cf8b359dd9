#include "vkmoye/gen/kernels/gemm_buffers.hpp"

#include <fmt/format.h>

#include "vkmoye/layout/coalesce.hpp"

namespace vkmoye::gen {

GemmBuffers::GemmBuffers(Builder& k, const GemmForm& form, const std::array<std::int64_t, 3>& tile,
                         std::int64_t strip, const std::function<void()>& operands)
    : k_(k),
      form_(form),
      tile_(tile),
      in_strips_(strip > 1 && !form.batched && !form.split_k),
      a_{form.a_k_contiguous, tile[0], k.block_y()},
      b_{form.b_k_contiguous, tile[1], k.block_x()} {
  if (in_strips_) {
    k.grid(0, "m", tile[0], strip);
    k.grid(1, "n", tile[1]);
    k.grid(2, "m", tile[0] * strip);
    a_.block = Expr(to_index(strip)) * k.block_z() + k.block_x();
    b_.block = k.block_y();
  }
  for (const char* extent : {"m", "n", "k"}) k_.argument(extent, ScalarType::u32);
  if (operands) {
    operands();
  } else {
    a_.tensor = declare(a_, "a", "m", "lda", "stride_a");
    b_.tensor = declare(b_, "b", "n", "ldb", "stride_b");
  }
  for (const GemmStep& step : form_.epilogue) {
    for (const GemmInput& input : step.inputs) {
      k_.input(input.name, form_.result, axes_of(input.along));
    }
  }
  const auto axes = axes_of(GemmInput::Along::both);
  c_ = form_.beta ? k_.in_out("c", form_.result, axes) : k_.output("c", form_.result, axes);
  // An argument of u32 is an index; what it multiplies is no index.
  const ScalarType type = factor_type(form_);
  alpha_ = ir::convert(k_.argument("alpha", type), type);
  if (form_.beta) beta_ = ir::convert(k_.argument("beta", type), type);
  for (const GemmStep& step : form_.epilogue) {
    for (const std::string& name : step.arguments) k_.argument(name, factor_type(form_));
  }
  const Expr all = (ir::variable("k") - 1) / to_index(tile_[2]) + 1;
  tiles_ = all;
  if (!form_.split_k) return;
  const Expr each = k_.let("tiles_each", (all - 1) / ir::variable("slices") + 1);
  first_tile_ = k_.let("first_tile", minimum(k_.block_z() * each, all));
  tiles_ = k_.let("tiles", minimum(each, all - first_tile_));
}

// Of what the epilogue reads; along both: those of C.
std::vector<Builder::AxisName> GemmBuffers::axes_of(GemmInput::Along along) const {
  if (along == GemmInput::Along::n) return {{"n", "n"}};
  if (along == GemmInput::Along::m) return {{"m", "m"}};
  std::vector<Builder::AxisName> axes = {{"n", "n"}, {"m", "m", "ldc"}};
  if (form_.batched) axes.push_back({"batch", "batch", "stride_c"});
  if (form_.split_k) axes.push_back({"slice", "slices", "stride_c"});
  return axes;
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
  return one_of(form_.batched || form_.split_k, c_, tile_[1], tile_[0], b_.block, a_.block);
}

void GemmBuffers::where_there_are_elements(const std::function<void()>& body) {
  if (!in_strips_) return body();
  k_.branch({ir::less(Expr(to_index(tile_[0])) * a_.block, ir::variable("m"))}, body);
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

Expr GemmBuffers::whole_tiles() const {
  const Expr of_k = ir::variable("k") / to_index(tile_[2]);
  return form_.split_k ? minimum(tiles_, of_k - first_tile_) : of_k;
}

// --- from the sums to C ---

void GemmBuffers::write(const View& sums, const View& c, const Vector& vector) {
  const View result = registers("result", c.shape());
  if (beta_) k_.copy(c, result, {.edges = Edges::zero, .vector = vector});
  if (form_.epilogue.empty()) {
    k_.axpby(alpha_, sums, beta_, result);
  } else {
    finish(sums, c, result, vector);
  }
  k_.copy(result, c, {.vector = vector});
}

// Declared once, however often something is written.
View GemmBuffers::registers(const std::string& name, const IntTuple& shape) {
  const auto found = registers_.find(name);
  if (found != registers_.end() && found->second.shape() == shape) return found->second;
  return registers_[name] = k_.registers(name, form_.result, Layout(shape));
}

// What an input has where `c` lies, in registers, shaped as `c`.
View GemmBuffers::held(const GemmInput& input, const View& c, const Vector& vector) {
  const std::string name = "held_" + input.name;
  View from{input.name, c.axes, {}, fmt::format("{} where {}", input.name, c.name)};
  if (input.along == GemmInput::Along::both) {
    const View to = registers(name, c.shape());
    k_.copy(from, to, {.edges = Edges::zero, .vector = vector});
    return to;
  }
  // Once for all values of a mode along which it does not change.
  View::Axis axis = c.axes[input.along == GemmInput::Along::n ? 0 : 1];
  const IntTuple whole = c.shape();
  axis.values = filter_zeros(axis.values);
  from.axes = {axis};
  View to = registers(name, axis.values.shape());
  const std::int64_t extent = axis.values.leaves()[vector.leaf].extent;
  k_.copy(from, to,
          {.edges = Edges::zero,
           .vector = extent % vector.count == 0 ? vector : Vector{1, vector.leaf}});
  const auto leaves = to.axes.front().values.leaves();
  std::size_t leaf = 0;
  const auto stride_of = [&](std::int64_t extent_of_c) {
    const Mode& mode = leaves[leaf++];
    return mode.extent == extent_of_c ? mode.stride : 0;
  };
  const IntTuple strides = whole.map<std::int64_t>(stride_of);
  to.axes.front().values = Layout(whole, strides);
  return to;
}

void GemmBuffers::finish(const View& sums, const View& c, const View& result,
                         const Vector& vector) {
  std::vector<View> from = {sums};
  if (beta_) from.push_back(result);
  for (const GemmStep& step : form_.epilogue) {
    for (const GemmInput& input : step.inputs) from.push_back(held(input, c, vector));
  }
  const ScalarType type = factor_type(form_);
  const auto element = [&](const std::vector<Expr>& values, const std::vector<Expr>& at) {
    auto next = values.begin();
    const auto number = [&] { return ir::convert(*next++, type); };
    Expr product = ir::multiply(alpha_, number());
    if (beta_) product = ir::multiply_add(*beta_, number(), product);
    GemmElement e{k_.let("product", product),      at[1], at[0],
                  form_.batched ? at[2] : Expr(0), {},    {}};
    for (const GemmStep& step : form_.epilogue) {
      e.inputs.clear();
      e.arguments.clear();
      for (std::size_t i = 0; i < step.inputs.size(); ++i) e.inputs.push_back(number());
      for (const std::string& name : step.arguments) e.arguments.push_back(k_.argument(name, type));
      e.value = k_.let("after_" + step.name, ir::convert(step.function(k_, e), type));
    }
    return ir::convert(e.value, form_.result);
  };
  k_.apply(result, c, element, from);
}

}  // namespace vkmoye::gen
