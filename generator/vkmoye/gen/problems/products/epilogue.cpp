// SPDX-License-Identifier: MIT
#include "vkmoye/gen/problems/products/epilogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/option_values.hpp"
#include "vkmoye/gen/numbers/activations.hpp"

namespace vkmoye::gen {
namespace {

double plus(double v, double input) { return v + input; }
double times(double v, double number) { return v * number; }
double relu(double v, double) { return v < 0 ? 0 : v; }

double silu_of(double v, double) { return silu(v); }
double gelu_of(double v, double) { return gelu(v); }

double exponent_of_silu(double v) { return v; }

// An entry of the table in the header.
struct Definition {
  const char* name;
  double (*function)(double v, double input_or_number);
  double steepest, of_value;
  double (*exponent)(double v) = nullptr;  // of functions with an error of their own
};

constexpr Definition kDefinitions[] = {
    {"bias", plus, 1, 1},
    {"bias_m", plus, 1, 1},
    {"relu", relu, 1, 0},
    {"gelu", gelu_of, 1.13, 0, exponent_of_gelu},
    {"silu", silu_of, 1.1, 0, exponent_of_silu},
    {"residual", plus, 1, 1},
    {"residual_c", plus, 1, 1},
    {"scale", times, 1, 2},
    {"scale_m", times, 1, 1},
    {"scale_n", times, 1, 1},
};

const Definition& definition_of(const EpilogueOp& step) {
  return *std::find_if(std::begin(kDefinitions), std::end(kDefinitions),
                       [&](const Definition& definition) { return step.name == definition.name; });
}

// "bias", "scale:NUMBER".
std::string form_of(const EpilogueOp& step) {
  return step.arguments.empty() ? step.name : step.name + ":NUMBER";
}

AppliedEpilogueOp parse_step(const std::string& text) {
  const auto colon = std::min(text.find(':'), text.size());
  AppliedEpilogueOp named{find_epilogue_op(text.substr(0, colon)), 0};
  if (named.step == nullptr) {
    throw ArgumentError(unknown_name("step", text.substr(0, colon), epilogue_step_names()));
  }
  const bool has_number = colon < text.size();
  if (has_number && named.step->arguments.empty()) {
    throw ArgumentError(fmt::format("'{}': {} takes no number", text, named.step->name));
  }
  if (!has_number && !named.step->arguments.empty()) {
    throw ArgumentError(fmt::format("'{}': expected {}", text, form_of(*named.step)));
  }
  if (!has_number) return named;
  const auto number = parse_number(text.substr(colon + 1));
  if (!number) {
    throw ArgumentError(
        fmt::format("{} '{}': expected a finite number", named.step->name, text.substr(colon + 1)));
  }
  named.number = *number;
  return named;
}

}  // namespace

std::vector<AppliedEpilogueOp> parse_epilogue(const std::string& text) {
  std::vector<AppliedEpilogueOp> epilogue;
  for (const std::string& part : split(text, ',')) {
    const AppliedEpilogueOp named = parse_step(part);
    for (const AppliedEpilogueOp& other : epilogue) {
      if (other.step != named.step) continue;
      throw ArgumentError(fmt::format("{} is given twice, once is enough", named.step->name));
    }
    epilogue.push_back(named);
  }
  return epilogue;
}

std::string epilogue_text(const std::vector<AppliedEpilogueOp>& epilogue) {
  std::vector<std::string> parts;
  for (const AppliedEpilogueOp& named : epilogue) {
    parts.push_back(named.step->arguments.empty()
                        ? named.step->name
                        : fmt::format("{}:{}", named.step->name, named.number));
  }
  return join(parts, ",");
}

std::vector<std::string> epilogue_step_names() {
  std::vector<std::string> names;
  for (const EpilogueOp& step : epilogue_ops()) names.push_back(step.name);
  return names;
}

std::string epilogue_expects() {
  std::vector<std::string> forms;
  for (const EpilogueOp& step : epilogue_ops()) forms.push_back(form_of(step));
  return join(forms, ", ");
}

bool multiplies(const EpilogueOp& step) { return definition_of(step).function == times; }
bool adds(const EpilogueOp& step) { return definition_of(step).function == plus; }

Expected after(const AppliedEpilogueOp& named, Expected v, double input, const NumberRange& range,
               bool& exact) {
  const Definition& definition = definition_of(*named.step);
  const double other = named.step->arguments.empty() ? input : named.number;
  const double next = definition.function(v.value, other);
  exact = exact && definition.exponent == nullptr;
  if (exact) return {next, 0};
  const bool multiplies = definition.function == times;
  const auto may_be_0 = [&](double x, double bound) {
    return std::fabs(x) <= bound || std::fabs(x) < range.smallest_normal;
  };
  if (!std::isfinite(v.value) || !std::isfinite(next)) {
    if (!multiplies || std::isnan(v.value) || std::isnan(other)) return {next, 0};
    // 0 times infinity is NaN, and has no sign.
    const bool is_0 = may_be_0(other, 0), was_0 = may_be_0(v.value, v.bound);
    return {next, 0, {was_0, was_0, is_0 || was_0}};
  }
  const double steepest = multiplies ? std::fabs(other) : definition.steepest;
  // No share of a bound is none, of an infinite one, too.
  const auto share = [](double factor, double bound) { return factor == 0 ? 0 : factor * bound; };
  const double carried = share(steepest, v.bound);
  double error = share(range.epsilon * definition.of_value, std::fabs(next) + carried);
  if (definition.exponent != nullptr) {
    error += error_of_gated(v.value, definition.exponent(v.value), range.epsilon,
                            range.smallest_normal) +
             6 * range.epsilon * v.bound;
  }
  if (multiplies && may_be_0(other, 0)) error += std::fabs(next) + carried;
  if (multiplies && may_be_0(v.value, 0)) error += std::fabs(next);
  const double bound = carried + error + range.smallest_normal;
  return {next, bound, {next + bound > range.largest, next - bound < -range.largest, false}};
}

}  // namespace vkmoye::gen
