// SPDX-License-Identifier: MIT
// kernels: the registry with its options. kernel: the description of one kernel, its shader, and the report of
// `explain` about it.

#include <fmt/format.h>

#include <algorithm>

#include "api.hpp"
#include "commands/explain_report.hpp"
#include "io/parse.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"
#include "vkmoye/gen/operations/operations.hpp"

namespace vkmoye::playground {
namespace {

const gen::Operation& operation_of(const gen::KernelEntry& entry) {
  const auto& all = gen::operations();
  return *std::find_if(all.begin(), all.end(),
                       [&](const gen::Operation& one) { return one.name == entry.operation; });
}

Json option_json(const std::string& name, const std::string& value, const std::string& help,
                 const std::vector<std::string>& choices, bool of_problem) {
  return {{"name", name},
          {"value", value},
          {"help", help},
          {"choices", choices},
          {"of_problem", of_problem}};
}

Json entry_json(const gen::KernelEntry& entry) {
  const gen::Operation& operation = operation_of(entry);
  Json types = Json::array(), options = Json::array();
  for (const ScalarType type : entry.types) types.push_back(to_string(type));
  for (const gen::KernelOption& one : entry.options) {
    options.push_back(option_json(one.name, one.value, one.help, one.choices, false));
  }
  for (const gen::OperationOption& one : operation.options) {
    const auto choices = one.is_flag ? std::vector<std::string>{"yes"} : one.choices;
    options.push_back(option_json(one.name, "", one.help, choices, true));
  }
  return {{"name", entry.name},
          {"operation", entry.operation},
          {"summary", entry.summary},
          {"source", entry.source},
          {"types", types},
          {"type", to_string(gen::usual_type(entry))},
          {"size", operation.size.text},
          {"options", options}};
}

// Empty for a member that is missing.
std::string text_at(const Json& request, std::string_view key) {
  const std::string* text = text_of(member_or_null(request, key));
  return text == nullptr ? "" : *text;
}

gen::ProblemText problem_text(const gen::KernelEntry& entry, const Json& request) {
  gen::ProblemText out = {&entry, text_at(request, "type"), {}, {}};
  if (out.type.empty()) out.type = to_string(gen::usual_type(entry));
  const Json& options = member_or_null(request, "options");
  for (const auto& [name, value] : options.items()) {
    const std::string& text = value.get_ref<const std::string&>();
    const bool is_own = std::any_of(entry.options.begin(), entry.options.end(),
                                    [&](const gen::KernelOption& one) { return one.name == name; });
    if (!text.empty()) (is_own ? out.config : out.values)[name] = text;
  }
  return out;
}

Extents size_in(const gen::Operation& operation, const std::string& text) {
  if (text.empty()) return gen::size_of_form(operation.size, gen::usual_size(operation, {4096}));
  const std::vector<Extents> sizes = bench::parse_sizes(text);
  if (sizes.size() != 1) throw ArgumentError("size: one size, such as " + operation.size.text);
  return gen::size_of_form(operation.size, sizes.front());
}

// What the author wrote: the arrays with their layouts, the arguments, the workgroups.
Json description_of(const gen::ir::Kernel& kernel) {
  Json config = Json::object(), arrays = Json::array(), arguments = Json::array();
  for (const auto& [name, value] : kernel.config) config[name] = value;
  for (const gen::ir::Array& array : kernel.arrays) {
    const char* space = array.is_buffer() ? "buffer" : array.is_shared() ? "shared" : "registers";
    std::vector<std::string> extents;
    for (const gen::ir::Axis& axis : array.axes) extents.push_back(to_string(axis.extent));
    arrays.push_back(
        {{"name", array.name},
         {"type", to_string(array.type)},
         {"space", space},
         {"access", array.is_buffer() ? Json(to_string(array.access)) : Json(nullptr)},
         {"layout", array.is_buffer() ? "(" + join(extents, ",") + ")" : array.layout}});
  }
  for (const PushConstant& one : kernel.arguments) {
    if (!is_first_group(one.name)) arguments.push_back(one.name);
  }
  return {{"name", kernel.name},       {"why", kernel.why},
          {"config", config},          {"threads", kernel.threads},
          {"arrays", arrays},          {"arguments", arguments},
          {"command", kernel.command}, {"shared_bytes", kernel.shared_bytes()}};
}

}  // namespace

Described describe(const Json& request) {
  const gen::KernelEntry& entry = gen::kernel_named(text_at(request, "kernel"));
  const gen::Operation& operation = operation_of(entry);
  const gen::ProblemText text = problem_text(entry, request);
  Described out;
  out.problem = operation.of_size(text, size_in(operation, text_at(request, "size")));
  gen::KernelRequest wanted = {out.problem->form, text.config, common_device()};
  for (const auto& [name, value] : out.problem->kernel_options) wanted.options[name] = value;
  gen::PlanOptions options;
  options.without_unknown_orders = true;
  out.plan = gen::plan_of(entry, wanted, *out.problem, options);
  if (out.plan.steps.empty()) {
    throw ArgumentError(entry.name + ": " + join(out.plan.left_out, "; "));
  }
  return out;
}

Json kernels(const Json&) {
  Json out = Json::array();
  for (const gen::KernelEntry& entry : gen::registry()) out.push_back(entry_json(entry));
  return {{"kernels", out}};
}

Json kernel(const Json& request) {
  const Described described = describe(request);
  const gen::KernelStep& step = described.plan.steps[described.plan.main];
  gen::AccessModel model;
  for (const auto& [name, argument] : step.arguments) {
    const auto* size = std::get_if<std::int64_t>(&argument.value);
    if (size != nullptr) model.sizes[name] = static_cast<std::uint32_t>(*size);
  }
  std::vector<gen::Claim> claims;
  if (member_or_null(request, "prove") == true) claims = gen::claims_of(step.kernel);
  const bench::Explained explained = {step.kernel, model, gen::analyse(step.kernel, model),
                                      described.plan.why, std::move(claims)};
  return {{"glsl", gen::glsl::print(step.kernel)},
          {"description", description_of(step.kernel)},
          {"report", bench::explain_json(explained)},
          {"text", bench::explain_text(explained, bench::TextForm::terminal)}};
}

}  // namespace vkmoye::playground
