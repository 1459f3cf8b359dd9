// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"

#include <fmt/format.h>

#include <utility>

namespace vkmoye::gen {

bool are_multiplied(ScalarType a, ScalarType b) {
  const auto may_differ = [](ScalarType type) {
    return type == ScalarType::f16 || type == ScalarType::bf16 || type == ScalarType::f32;
  };
  return a == b || (may_differ(a) && may_differ(b));
}

std::string operands_text(ScalarType a, ScalarType b, const WeightFormat* weights) {
  std::string text(to_string(a));
  if (a == b && weights == nullptr) return text;
  text += '*';
  return text += weights == nullptr ? std::string(to_string(b)) : weights->name;
}

std::string form_text(const GemmForm& form) {
  std::string text =
      fmt::format("{},{},{} a={} b={}{}{}{}", operands_text(form), to_string(form.accumulator),
                  to_string(form.result), form.a_k_contiguous ? 'k' : 'm',
                  form.b_k_contiguous ? 'k' : 'n', form.beta ? " beta" : "",
                  form.batched       ? " batch"
                  : form.has_experts ? " experts"
                                     : "",
                  form.split_k ? " split-k" : "");
  if (!form.epilogue.empty()) text += " epilogue=" + epilogue_text(form.epilogue);
  return text;
}

std::vector<std::pair<std::string, std::string>> items_after_form(
    const GemmForm& form, std::vector<std::pair<std::string, std::string>> config) {
  config.insert(config.begin(), {"form", form_text(form)});
  return config;
}

std::vector<std::string> reasons_against_form(const GemmForm& form, FormsOfKernel kernel) {
  std::vector<std::string> reasons = reasons_against_epilogue(form);
  const auto require = [&](bool holds, std::string reason) {
    if (!holds) reasons.push_back(std::move(reason));
  };
  if (form.weights != nullptr) {
    const std::string& name = form.weights->name;
    require(kernel.weights,
            fmt::format("B in {}: this kernel reads elements; gemm/auto chooses one that reads "
                        "blocks of weights",
                        name));
    for (std::string& reason : reasons_against(*form.weights)) reasons.push_back(std::move(reason));
    require(form.b_k_contiguous, fmt::format("B in {}: blocks are along k, so b must be k", name));
    require(form.b_type == kWeightType,
            fmt::format("B in {}: its type must be {}", name, to_string(kWeightType)));
    require(form.a_type == ScalarType::f16 || form.a_type == ScalarType::bf16 ||
                form.a_type == ScalarType::f32,
            fmt::format("A of {} and B in {}: A must have type f16, bf16 or f32",
                        to_string(form.a_type), name));
    require(form.accumulator == ScalarType::f32,
            fmt::format("accumulator {} and B in {}: it must be f32", to_string(form.accumulator),
                        name));
  }
  if (form.has_experts) {
    require(kernel.experts,
            "experts: this kernel has one B; gemm/simt and gemm/coopmat have several");
    require(!form.batched && !form.split_k && !form.beta,
            "experts: neither a batch, nor slices of k, nor beta");
    require(form.a_k_contiguous, "experts: rows of A begin anywhere, so a must be k");
    for (const EpilogueOp& step : form.epilogue) {
      require(
          step.inputs.empty() && !step.reads_c,
          fmt::format("experts: {} reads an array, and steps of the epilogue must not", step.name));
      require(step.output.empty(),
              fmt::format("experts: {} has the output {}, and steps of the epilogue must have none",
                          step.name, step.output));
    }
  }
  require(!form.split_k || (!form.beta && form.epilogue.empty()),
          "slices of k can have neither beta nor an epilogue");
  const auto require_same_kind = [&](const char* before, ScalarType one, const char* after,
                                     ScalarType other) {
    require(is_floating(one) == is_floating(other),
            fmt::format("{} of {} and {} of {}: integers and floating-point numbers do not mix",
                        before, to_string(one), after, to_string(other)));
  };
  if (form.a_type == form.b_type) {
    require_same_kind("operands", form.a_type, "accumulator", form.accumulator);
  } else {
    require_same_kind("a", form.a_type, "b", form.b_type);
    require_same_kind("a", form.a_type, "accumulator", form.accumulator);
  }
  require(is_floating(form.result) || !is_floating(form.accumulator),
          fmt::format("accumulator of {} and result of {}: sums would be cut off to integers",
                      to_string(form.accumulator), to_string(form.result)));
  require(!is_unsigned(form.result) || is_unsigned(form.accumulator),
          fmt::format("accumulator of {} and result of {}: the result cannot hold negative sums",
                      to_string(form.accumulator), to_string(form.result)));
  return reasons;
}

}  // namespace vkmoye::gen
