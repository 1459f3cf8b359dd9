// SPDX-License-Identifier: MIT
#include "vkmoye/contract/plan_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/base/read_double.hpp"
#include "vkmoye/base/text_file.hpp"
#include "vkmoye/contract/checked_file.hpp"
#include "vkmoye/contract/interface_json.hpp"
#include "vkmoye/contract/kernel_json.hpp"

namespace vkmoye {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

constexpr FileKind kPlanFile = {"plan", kPlanFileVersion, 1};

// The oldest version that has all of `plan`.
FileKind kind_of(const CompiledPlan& plan) {
  const auto any = [&](auto condition) {
    return std::any_of(plan.steps.begin(), plan.steps.end(), condition);
  };
  const bool is_specialised =
      any([](const CompiledStep& step) { return !step.kernel.interface.specialised.empty(); });
  const bool is_indirect = any([](const CompiledStep& step) { return step.indirect.has_value(); });
  const bool waits =
      any([](const CompiledStep& step) { return step.kernel.interface.arrivals.has_value(); });
  return {"plan", waits ? kPlanFileVersion : is_specialised ? 3 : is_indirect ? 2 : 1};
}

Json json_of(const std::vector<PlanArray>& arrays) {
  Json out = Json::array();
  for (const PlanArray& array : arrays) {
    out.push_back({{"name", array.name}, {"bytes", array.bytes}});
  }
  return out;
}

Json json_of(const Argument& argument) {
  if (const auto* whole = std::get_if<std::int64_t>(&argument.value)) return *whole;
  return fmt::format(
      "{}",
      std::get<double>(argument.value));  // the shortest text that is read back as the same value
}

std::optional<Argument> argument_of(const Json& json) {
  if (const auto whole = whole_of(json)) return *whole;
  const auto* text = text_of(json);
  if (text == nullptr) return std::nullopt;
  double number = 0;
  const char* end = text->data() + text->size();
  const auto read = read_double(text->data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

std::vector<PlanArray> arrays_of(const Json& plan, const char* key,
                                 std::vector<std::string>& reasons) {
  std::vector<PlanArray> out;
  for (const Json& json : array_in(plan, key, reasons)) {
    const auto bytes = static_cast<std::uint64_t>(whole_in(json, "bytes", 0, kMost, reasons));
    out.push_back({text_in(json, "name", reasons), bytes});
  }
  return out;
}

CompiledStep step_of(const Json& json, std::vector<std::string>& reasons) {
  CompiledStep step;
  step.kernel = kernel_of_json(member_or_null(json, "kernel"), reasons);
  const Json& arguments = member_or_null(json, "arguments");
  if (arguments.is_object()) {
    for (const auto& [name, value] : arguments.items()) {
      const auto argument = argument_of(value);
      if (!argument) reasons.push_back(fmt::format("argument {} is not a number", name));
      step.arguments[name] = argument.value_or(Argument());
    }
  } else {
    reasons.emplace_back("arguments is not an object");
  }
  for (const Json& array : array_in(json, "arrays", reasons)) {
    const std::int64_t number = whole_of(array).value_or(-1);
    if (number < 0) reasons.push_back(fmt::format("arrays contains {}", shown(array)));
    step.arrays.push_back(static_cast<std::size_t>(number));
  }
  if (find(json, "indirect") != nullptr) {
    step.indirect = static_cast<std::size_t>(whole_in(json, "indirect", 0, kMost, reasons));
  }
  return step;
}

}  // namespace

std::string plan_text(const CompiledPlan& plan) {
  Json steps = Json::array();
  for (const CompiledStep& step : plan.steps) {
    Json arguments = Json::object();
    for (const auto& [name, value] : step.arguments) arguments[name] = json_of(value);
    steps.push_back({{"kernel", kernel_to_json(step.kernel)},
                     {"arguments", std::move(arguments)},
                     {"arrays", step.arrays}});
    if (step.indirect) steps.back()["indirect"] = *step.indirect;
  }
  return checked_text(kind_of(plan), {{"name", plan.name},
                                      {"arrays", json_of(plan.arrays)},
                                      {"scratch", json_of(plan.scratch)},
                                      {"steps", std::move(steps)}});
}

CompiledPlan parse_plan(std::string_view text) {
  const auto [content, version] = checked_content(kPlanFile, text);
  std::vector<std::string> reasons;
  CompiledPlan plan;
  plan.name = text_in(content, "name", reasons);
  plan.arrays = arrays_of(content, "arrays", reasons);
  plan.scratch = arrays_of(content, "scratch", reasons);
  std::size_t number = 0;
  for (const Json& json : array_in(content, "steps", reasons)) {
    std::vector<std::string> of_step;
    plan.steps.push_back(step_of(json, of_step));
    for (const std::string& reason : of_step) {
      reasons.push_back(fmt::format("step {}: {}", number, reason));
    }
    ++number;
  }
  if (reasons.empty()) reasons = reasons_against(plan);
  check_version(kind_of(plan), version, reasons);
  if (!reasons.empty()) refuse_file(kPlanFile, reasons);
  return plan;
}

void write_plan_file(const std::filesystem::path& file, const CompiledPlan& plan) {
  write_text_file(file, plan_text(plan));
}

CompiledPlan read_plan_file(const std::filesystem::path& file) {
  return parse_text_file(file, parse_plan);
}

}  // namespace vkmoye
