// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/result/result.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/layout/coalesce.hpp"

namespace vkmoye::gen {

namespace {

// The vectors of C for an array of `type`, which may have wider elements.
Vector fitting(const Vector& of_c, ScalarType type) {
  return {std::min(of_c.count, to_index(widest_access(type))), of_c.leaf};
}

}  // namespace

View matrix_tile(const Tensor& tensor, std::int64_t first, std::int64_t second, const Expr& i,
                 const Expr& j, const std::optional<Expr>& which) {
  if (!which) return tile(tensor, {first, second}, {i, j});
  return slice(tile(tensor, {first, second, 1}, {i, j, *which}), {_, _, 0});
}

GemmResult::GemmResult(Builder& builder, const GemmForm& form)
    : builder_(builder), form_(form), steps_(form.epilogue) {
  const EpilogueOp* last = step_with_output(form_.epilogue);
  if (last != nullptr) steps_.pop_back();
  for (const EpilogueOp& step : form_.epilogue) {
    for (const GemmInput& input : step.inputs) {
      builder_.input(input.name, input.type.value_or(form_.result), axes_of(input.along));
    }
  }
  const auto axes = axes_of(GemmInput::Along::both);
  const bool is_read = form_.beta || reads_c(form_.epilogue);
  c_ =
      is_read ? builder_.in_out("c", form_.result, axes) : builder_.output("c", form_.result, axes);
  if (last != nullptr) {
    builder_.output(last->output, last->output_type.value_or(form_.result), axes);
  }
  if (form_.split_k) slices_ = builder_.argument("slices", ScalarType::u32);
  alpha_ = argument("alpha");
  if (form_.beta) beta_ = argument("beta");
  for (const EpilogueOp& step : form_.epilogue) {
    for (const std::string& name : step.arguments) argument(name);
  }
}

// An argument of type u32 is an index, but the elements that it multiplies are not: convert it.
Expr GemmResult::argument(const std::string& name) {
  const ScalarType type = factor_type(form_);
  return convert(builder_.argument(name, type), type);
}

// The axes of an input of the epilogue; along both: those of C.
std::vector<Builder::AxisSpec> GemmResult::axes_of(GemmInput::Along along) const {
  if (along == GemmInput::Along::n) return {{"n", "n"}};
  if (along == GemmInput::Along::m) return {{"m", "m"}};
  std::vector<Builder::AxisSpec> axes = {{"n", "n"}, {"m", "m", "ldc"}};
  if (form_.split_k) {
    const Extent slices =
        form_.batched ? Extent(std::string("slices"), std::string("batch")) : Extent("slices");
    axes.push_back({"slice", slices, "stride_c"});
  } else if (form_.batched) {
    axes.push_back({"batch", "batch", "stride_c"});
  }
  return axes;
}

View GemmResult::c(std::int64_t tile_n, std::int64_t tile_m, const Expr& at_n,
                   const Expr& at_m) const {
  std::optional<Expr> which;
  if (form_.batched || form_.split_k) which = builder_.block_z();
  return matrix_tile(c_, tile_n, tile_m, at_n, at_m, which);
}

void GemmResult::write(const View& sums, const View& c, const Vector& vector) {
  const View result = registers("result", form_.result, c.shape());
  const bool is_read = beta_ || reads_c(form_.epilogue);
  if (is_read) builder_.copy(c, result, {.edges = Edges::zero, .vector = vector});
  if (steps_.empty()) {
    builder_.axpby(alpha_, sums, beta_, result);
  } else {
    finish(sums, c, result, vector);
  }
  builder_.copy(result, c, {.vector = vector});
  if (const EpilogueOp* last = step_with_output(form_.epilogue)) {
    write_output(*last, c, result, vector);
  }
}

void GemmResult::write_output(const EpilogueOp& step, const View& c, const View& result,
                              const Vector& vector) {
  std::vector<View> from = {result};
  for (const GemmInput& input : step.inputs) from.push_back(held(input, c, vector));
  const ScalarType type = factor_type(form_), to_type = step.output_type.value_or(form_.result);
  const auto element = [&](const std::vector<Expr>& values, const std::vector<Expr>& at) {
    GemmElement e{convert(values[0], type), at[1], at[0], form_.batched ? at[2] : Expr(0), {}, {}};
    for (std::size_t i = 1; i < values.size(); ++i) e.inputs.push_back(convert(values[i], type));
    for (const std::string& name : step.arguments) e.arguments.push_back(argument(name));
    return convert(step.function(builder_, e), to_type);
  };
  const View further = registers("further_result", to_type, c.shape());
  builder_.with_title(fmt::format("{} <- {} of {}", further.name, step.name, result.name),
                      [&] { builder_.apply(further, c, element, from); });
  const View to{
      step.output, c.axes, {}, fmt::format("{} at the coordinates of {}", step.output, c.name)};
  builder_.copy(further, to, {.vector = fitting(vector, to_type)});
}

// Registers of that name, declared on the first call.
View GemmResult::registers(const std::string& name, ScalarType type, const IntTuple& shape) {
  const auto found = registers_.find(name);
  if (found != registers_.end() && found->second.shape() == shape) return found->second;
  return registers_[name] = builder_.registers(name, type, Layout(shape));
}

// The elements of an input at the coordinates of `c`, in registers with the shape of `c`.
View GemmResult::held(const GemmInput& input, const View& c, const Vector& of_c) {
  const std::string name = "held_" + input.name;
  View from{input.name, c.axes, {}, fmt::format("{} at the coordinates of {}", input.name, c.name)};
  const ScalarType type = input.type.value_or(form_.result);
  const Vector vector = fitting(of_c, type);
  if (input.along == GemmInput::Along::both) {
    const View to = registers(name, type, c.shape());
    builder_.copy(from, to, {.edges = Edges::zero, .vector = vector});
    return to;
  }
  // Load it once for all values of the mode along which it is constant.
  View::Axis axis = c.axes[input.along == GemmInput::Along::n ? 0 : 1];
  const IntTuple whole = c.shape();
  axis.values = filter_zeros(axis.values);
  from.axes = {axis};
  View to = registers(name, type, axis.values.shape());
  const std::int64_t extent = axis.values.leaves()[vector.leaf].extent;
  builder_.copy(from, to,
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

void GemmResult::finish(const View& sums, const View& c, const View& result, const Vector& vector) {
  std::vector<View> from = {sums};
  const bool is_read = beta_ || reads_c(steps_);
  if (is_read) from.push_back(result);
  for (const EpilogueOp& step : steps_) {
    for (const GemmInput& input : step.inputs) from.push_back(held(input, c, vector));
  }
  const ScalarType type = factor_type(form_);
  const auto element = [&](const std::vector<Expr>& values, const std::vector<Expr>& at) {
    auto next = values.begin();
    const auto number = [&] { return convert(*next++, type); };
    Expr product = alpha_ * number();
    const Expr before = is_read ? number() : product;
    if (beta_) product = ir::multiply_add(*beta_, before, product);
    GemmElement e{builder_.let("product", product), at[1], at[0],
                  form_.batched ? at[2] : Expr(0),  {},    {}};
    for (const EpilogueOp& step : steps_) {
      e.inputs.clear();
      e.arguments.clear();
      for (std::size_t i = 0; i < step.inputs.size(); ++i) e.inputs.push_back(number());
      if (step.reads_c) e.inputs.push_back(before);
      for (const std::string& name : step.arguments) e.arguments.push_back(argument(name));
      e.value = builder_.let("after_" + step.name, convert(step.function(builder_, e), type));
    }
    return convert(e.value, form_.result);
  };
  const std::string added = beta_ ? fmt::format(" + beta * {}", result.name) : "";
  builder_.with_title(fmt::format("{} <- alpha * {}{}, then {}", result.name, sums.name, added,
                                  epilogue_text(steps_)),
                      [&] { builder_.apply(result, c, element, from); });
}

}  // namespace vkmoye::gen
