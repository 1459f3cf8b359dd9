// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/registry/entry_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::gen {

namespace {

template <class Kind>
Kind& form_in(KernelRequest& request) {
  request.form = form_of_kind<Kind>(request.form, "request");
  return std::get<Kind>(request.form);
}

}  // namespace

ElementsForm& KernelRequest::elements() { return form_in<ElementsForm>(*this); }
GemmProduct& KernelRequest::product() { return form_in<GemmProduct>(*this); }
TypedAttention& KernelRequest::attention() { return form_in<TypedAttention>(*this); }

KernelRequest request_of(ScalarType type, Options options) { return {type, std::move(options)}; }

std::vector<ScalarType> every_type() {
  std::vector<ScalarType> types;
  for (const ScalarTypeInfo& row : scalar_types()) types.push_back(row.type);
  return types;
}

std::vector<std::string> reasons_against_type(const std::vector<ScalarType>& types,
                                              ScalarType type) {
  if (std::find(types.begin(), types.end(), type) != types.end()) return {};
  std::vector<std::string> names;
  for (const ScalarType other : types) names.emplace_back(to_string(other));
  return {fmt::format("the kernel does not support {}; it supports {}", to_string(type),
                      join(names, " "))};
}

std::optional<OptionList> command_options(const ElementsForm& form) {
  const bool converts = form.result.value_or(form.type) != form.type;
  OptionList out = {{"type", converts ? operands_text(form.type, *form.result)
                                      : std::string(to_string(form.type))}};
  if (form.shape && form.shape->empty()) return std::nullopt;  // --size has no such shape
  if (form.shape) out.emplace_back("size", size_text(*form.shape));
  return out;
}

std::optional<OptionList> command_options(const GemmProduct& form) {
  std::vector<std::string> steps;
  for (const EpilogueOp& step : form.epilogue) {
    if (find_epilogue_op(step.name) == nullptr) return std::nullopt;
    steps.push_back(step.arguments.empty() ? step.name : step.name + ":1");
  }
  OptionList out = {{"type", fmt::format("{},{},{}", operands_text(form),
                                         to_string(form.accumulator), to_string(form.result))}};
  if (!form.a_k_contiguous) out.emplace_back("a", "m");
  if (!form.b_k_contiguous) out.emplace_back("b", "n");
  if (form.beta) out.emplace_back("beta", "1");
  if (form.batched) out.emplace_back("batch", "2");
  if (form.has_experts) out.emplace_back("experts", "4");
  if (form.split_k) out.emplace_back("split-k", "2");
  if (!steps.empty()) out.emplace_back("epilogue", join(steps, ","));
  return out;
}

std::optional<OptionList> command_options(const TypedAttention& typed) {
  const AttentionForm& form = typed.form;
  OptionList out = {{"type", type_text(typed.type, form)}};
  if (form.width != 64) out.emplace_back("size", fmt::format("1024x1024x{}", form.width));
  if (form.value_width != form.width || form.values_in_keys) {
    out.emplace_back(form.values_in_keys ? "values-in-keys" : "value-width",
                     std::to_string(form.value_width));
  }
  if (form.causal) out.emplace_back("causal", "");
  if (form.window) out.emplace_back("window", "256");
  if (form.soft_cap) out.emplace_back("soft-cap", "50");
  if (form.page != 0) out.emplace_back("page", std::to_string(form.page));
  if (form.lengths) out.emplace_back("lengths", "");
  if (form.mask) out.emplace_back("mask", std::string(to_string(*form.mask)));
  if (form.slopes) out.emplace_back("slopes", "");
  if (form.sinks) out.emplace_back("sinks", "");
  if (form.log_sums) out.emplace_back("log-sums", "");
  if (form.orders != AttentionOrders{}) out.emplace_back("axes", orders_text(form.orders));
  return out;
}

std::string emit_command(const std::string& name, const std::optional<OptionList>& problem,
                         const Options& options) {
  if (!problem || find_kernel(name) == nullptr) return "";
  std::string out = "vkmoye-bench emit " + name;
  const auto add = [&](const std::string& option, const std::string& value) {
    out += " --" + option;
    const bool is_plain = value.find_first_of("()<>;*' ") == std::string::npos;
    if (!value.empty()) out += is_plain ? " " + value : " '" + value + "'";
  };
  for (const auto& [option, value] : *problem) add(option, value);
  for (const auto& [option, value] : options) add(option, value);
  return out;
}

ScalarType usual_type(const KernelEntry& entry) {
  const std::vector<ScalarType>& types = entry.types;
  const bool has_f32 = std::find(types.begin(), types.end(), ScalarType::f32) != types.end();
  return has_f32 || types.empty() ? ScalarType::f32 : types.front();
}

std::vector<std::string> reasons_against_types(const KernelEntry& entry, const Form& form) {
  std::vector<std::string> reasons = reasons_against_type(entry.types, type_of(form));
  const auto* elements = std::get_if<ElementsForm>(&form);
  if (elements != nullptr && !entry.converts &&
      elements->result.value_or(elements->type) != elements->type) {
    reasons.push_back(fmt::format("the kernel does not convert {} to {}", to_string(elements->type),
                                  to_string(*elements->result)));
  }
  return reasons;
}

std::vector<std::string> reasons_against(const KernelPlan& plan, const DeviceCaps& device) {
  std::vector<std::string> reasons;
  for (const KernelStep& step : plan.steps) {
    for (std::string& reason : reasons_against(ir::interface_of(step.kernel), device)) {
      reasons.push_back(std::move(reason));
    }
  }
  return reasons;
}

KernelPlan plan_of_one(ir::Kernel kernel, const Problem& problem) {
  KernelPlan plan;
  std::vector<std::size_t> bindings;
  for (const ProblemArray& array : problem.arrays) {
    bindings.push_back(plan.arrays.size());
    plan.arrays.push_back({array.name, array.bytes - array.offset});
  }
  if (!problem.bindings.empty()) bindings = problem.bindings;
  plan.steps = {{std::move(kernel), problem.arguments, std::move(bindings)}};
  return plan;
}

KernelPlan plan_of(const KernelEntry& entry, const KernelRequest& given, const Problem& problem,
                   const PlanOptions& options) {
  KernelRequest request = given;
  if (options.find_orders && entry.probes) {
    request.device = options.find_orders(entry.probes(request));
  }
  // Every step of a plan has subgroups of the size that the option says.
  if (const auto size = request.options.find("subgroup-size"); size != request.options.end()) {
    const auto lanes = parse_numbers(size->second, 'x');
    const bool is_one = lanes && lanes->size() == 1;
    if (is_one && lanes->front() >= 1 && lanes->front() <= 128) {
      request.device.subgroup_size = static_cast<std::uint32_t>(lanes->front());
    }
  }
  if (entry.plan) return entry.plan(entry, request, problem, options);
  KernelPlan slices = entry.in_slices ? entry.in_slices(request) : KernelPlan();
  return slices.steps.empty() ? plan_of_one(entry.describe(request), problem) : slices;
}

}  // namespace vkmoye::gen
