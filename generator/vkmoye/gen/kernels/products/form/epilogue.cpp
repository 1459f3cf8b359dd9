// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/form/epilogue.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/form/form.hpp"

namespace vkmoye::gen {
namespace {

Expr add_input(Builder&, const GemmElement& e) { return e.value + e.inputs[0]; }

Expr times_argument(Builder&, const GemmElement& e) { return e.value * e.arguments[0]; }

// Not the device's own maximum, which need not propagate NaN.
Expr positive(Builder&, const GemmElement& e) {
  return kMaximum(e.value, ir::number(e.value->type.element, 0));
}

// x / (1 + exp(-t)) for a t that has the sign of x. exp and the division stay in the range where the Vulkan
// specification bounds their error. Below it the result, less than |x| * 2e-35, is set to 0, also for x =
// -infinity; above it the divisor is 1.
Expr gated(Builder& k, const std::string& step, const Expr& x, const Expr& t) {
  const auto number = [&](double value) { return ir::number(x->type.element, value); };
  const Expr gate = k.let(step + "_gate", t);
  const Expr limited = minimum(maximum(gate, number(-80)), number(80));
  // Written in this way so that a NaN is propagated to the division.
  const Expr counts = ir::logical_or(ir::less(number(-80), gate), ir::is_nan(x));
  return select(counts, x / (1 + exp(-limited)), number(0));
}

// 1 + tanh(u) = 2 / (1 + exp(-2 u)): avoids the cancellation of 1 and -1, and implementations of tanh that
// overflow.
Expr gelu(Builder& k, const GemmElement& e) {
  const Expr& x = e.value;
  const auto number = [&](double value) { return ir::number(x->type.element, value); };
  constexpr double kTwiceRoot = 1.5957691216057308;  // 2 sqrt(2 / pi)
  const Expr t = x * multiply_add(x * x, number(kTwiceRoot * 0.044715), number(kTwiceRoot));
  return gated(k, "gelu", x, t);
}

Expr silu(Builder& k, const GemmElement& e) { return gated(k, "silu", e.value, e.value); }

}  // namespace

std::span<const EpilogueOp> epilogue_ops() {
  using Along = GemmInput::Along;
  static const std::vector<EpilogueOp> steps = {
      {"bias", {{"bias", Along::n}}, {}, {}, add_input},
      {"bias_m", {{"bias_m", Along::m}}, {}, {}, add_input},
      {"relu", {}, {}, {}, positive},
      {"gelu", {}, {}, {ScalarType::f32}, gelu},
      {"silu", {}, {}, {ScalarType::f32}, silu},
      {"residual", {{"residual", Along::both}}, {}, {}, add_input},
      {"residual_c", {}, {}, {}, add_input, /*reads_c=*/true},
      {"scale", {}, {"scale"}, {}, times_argument},
  };
  return steps;
}

const EpilogueOp* find_epilogue_op(const std::string& name) {
  for (const EpilogueOp& step : epilogue_ops()) {
    if (step.name == name) return &step;
  }
  return nullptr;
}

bool reads_c(const GemmEpilogue& epilogue) {
  return std::any_of(epilogue.begin(), epilogue.end(),
                     [](const EpilogueOp& step) { return step.reads_c; });
}

std::string epilogue_text(const GemmEpilogue& epilogue) { return join(names_of(epilogue), ","); }

std::vector<std::string> reasons_against_epilogue(const GemmForm& form) {
  std::vector<std::string> reasons, names;
  const ScalarType type = factor_type(form);
  for (const EpilogueOp& step : form.epilogue) {
    if (std::find(names.begin(), names.end(), step.name) != names.end()) {
      reasons.push_back(fmt::format("epilogue: {} occurs more than once", step.name));
    }
    names.push_back(step.name);
    if (!step.function) reasons.push_back(fmt::format("epilogue: {} has no function", step.name));
    const auto& types = step.types;
    if (types.empty() || std::find(types.begin(), types.end(), type) != types.end()) continue;
    std::vector<std::string> supported;
    for (const ScalarType other : types) supported.emplace_back(to_string(other));
    reasons.push_back(fmt::format("epilogue: {} needs the type {}, but alpha * A * B^T has type {}",
                                  step.name, join(supported, " or "), to_string(type)));
  }
  return reasons;
}

}  // namespace vkmoye::gen
