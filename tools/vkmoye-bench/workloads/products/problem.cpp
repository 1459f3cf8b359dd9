// SPDX-License-Identifier: MIT
#include "workloads/products/problem.hpp"

#include <fmt/format.h>

#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {

namespace {

// The accumulator and result types if `--type` names only the operands: those for the wider type; with two operand
// types, the result has the accumulator type.
gen::GemmForm usual_form(ScalarType a, ScalarType b) {
  gen::GemmForm form = gen::gemm_form(size_of(a) < size_of(b) ? b : a);
  if (a != b) form.result = form.accumulator;
  return form;
}

}  // namespace

std::string GemmProblem::type_text() const {
  std::string text = gen::operands_text(a_type, b_type, weights);
  const gen::GemmForm usual = usual_form(a_type, b_type);
  if (accumulator == usual.accumulator && result == usual.result) return text;
  text += ',';
  text += to_string(accumulator);
  if (result == accumulator) return text;
  text += ',';
  return text += to_string(result);
}

GemmProblem parse_gemm_type(const std::string& text) {
  const std::vector<std::string> parts = split(text, ',');
  if (parts.size() > 3) {
    throw ArgumentError(fmt::format(
        "type '{}' has {} parts; a product has up to three: operands, accumulator and result", text,
        parts.size()));
  }
  const std::vector<std::string> operands = split(parts.front(), '*');
  if (operands.size() > 2) {
    throw ArgumentError(
        fmt::format("type '{}' has {} operands; a product has two", text, operands.size()));
  }
  GemmProblem problem;
  problem.a_type = parse_type(operands.front());
  // i8 is a weight format beside a floating-point A, and a type beside integers.
  const bool may_be_weights = operands.size() == 2 && is_floating(problem.a_type);
  problem.weights = may_be_weights ? gen::find_weight_format(operands.back()) : nullptr;
  problem.b_type = problem.weights != nullptr ? gen::kWeightType : parse_type(operands.back());
  const gen::GemmForm usual = usual_form(problem.a_type, problem.b_type);
  problem.accumulator = parts.size() > 1 ? parse_type(parts[1]) : usual.accumulator;
  problem.result = parts.size() > 1 ? parse_type(parts.back()) : usual.result;
  return problem;
}

void set_types(GemmProblem& problem, const std::string& text) {
  const GemmProblem types = parse_gemm_type(text);
  problem.a_type = types.a_type;
  problem.b_type = types.b_type;
  problem.weights = types.weights;
  problem.accumulator = types.accumulator;
  problem.result = types.result;
}

GemmProblem read_gemm_options(const gen::Options& values) {
  GemmProblem problem;
  const auto reasons = gen::read_fields(gemm_problem_fields(), values, problem);
  if (!reasons.empty()) throw ArgumentError(with_reasons("options of the product", reasons));
  return problem;
}

GemmProblem read_product(const gen::Options& values, const std::string& type) {
  GemmProblem problem = read_gemm_options(values);
  set_types(problem, type);
  return problem;
}

std::vector<std::string> gemm_command_options(const GemmProblem& problem) {
  std::vector<std::string> words;
  for (const auto& field : gemm_problem_fields()) {
    const std::string value = field.show(problem);
    if (value == field.show({})) continue;
    words.push_back("--" + field.name);
    words.push_back(value);
  }
  return words;
}

}  // namespace vkmoye::bench
