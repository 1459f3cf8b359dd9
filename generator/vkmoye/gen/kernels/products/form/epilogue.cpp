// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/form/epilogue.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/common/activations.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"

namespace vkmoye::gen {
namespace {

Expr add_input(Builder&, const GemmElement& e) { return e.value + e.inputs[0]; }

Expr times_input(Builder&, const GemmElement& e) { return e.value * e.inputs[0]; }

Expr times_argument(Builder&, const GemmElement& e) { return e.value * e.arguments[0]; }

// Not the device's own maximum, which need not propagate NaN.
Expr positive(Builder&, const GemmElement& e) {
  return kMaximum(e.value, ir::number(e.value->type.element, 0));
}

Expr gelu_of(Builder& builder, const GemmElement& e) { return gelu(builder, e.value); }
Expr silu_of(Builder& builder, const GemmElement& e) { return silu(builder, e.value); }

}  // namespace

std::span<const EpilogueOp> epilogue_ops() {
  using Along = GemmInput::Along;
  static const std::vector<EpilogueOp> steps = {
      {"bias", {{"bias", Along::n}}, {}, {}, add_input},
      {"bias_m", {{"bias_m", Along::m}}, {}, {}, add_input},
      {"relu", {}, {}, {}, positive},
      {"gelu", {}, {}, {ScalarType::f32}, gelu_of},
      {"silu", {}, {}, {ScalarType::f32}, silu_of},
      {"residual", {{"residual", Along::both}}, {}, {}, add_input},
      {"residual_c", {}, {}, {}, add_input, /*reads_c=*/true},
      {"scale", {}, {"scale"}, {}, times_argument},
      {"scale_m", {{"scale_m", Along::m, ScalarType::f32}}, {}, {ScalarType::f32}, times_input},
      {"scale_n", {{"scale_n", Along::n, ScalarType::f32}}, {}, {ScalarType::f32}, times_input},
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

const EpilogueOp* step_with_output(const GemmEpilogue& epilogue) {
  return epilogue.empty() || epilogue.back().output.empty() ? nullptr : &epilogue.back();
}

std::string epilogue_text(const GemmEpilogue& epilogue) { return join(names_of(epilogue), ","); }

std::vector<std::string> reasons_against_epilogue(const GemmForm& form) {
  std::vector<std::string> reasons, names;
  const ScalarType type = factor_type(form);
  std::vector<std::string> arrays = {"a", "b", "c", "offsets"};
  for (const EpilogueOp& step : form.epilogue) {
    for (const GemmInput& input : step.inputs) arrays.emplace_back(input.name);
  }
  for (const EpilogueOp& step : form.epilogue) {
    if (std::find(names.begin(), names.end(), step.name) != names.end()) {
      reasons.push_back(fmt::format("epilogue: {} occurs more than once", step.name));
    }
    names.push_back(step.name);
    if (!step.function) reasons.push_back(fmt::format("epilogue: {} has no function", step.name));
    if (!step.output.empty()) {
      const auto refuse = [&](const char* why) {
        reasons.push_back(
            fmt::format("epilogue: {} has the output {}, {}", step.name, step.output, why));
      };
      if (&step != &form.epilogue.back()) refuse("so it must be the last step");
      if (step.reads_c) refuse("so it must not read C as it was before");
      if (std::find(arrays.begin(), arrays.end(), step.output) != arrays.end()) {
        refuse("but another array of the product has that name");
      }
    }
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
