// SPDX-License-Identifier: MIT
#include "workloads/products/problem.hpp"

#include <fmt/format.h>

#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {

std::string GemmProblem::type_text() const {
  const auto name = [](ScalarType type) { return std::string(vkmoye::to_string(type)); };
  const gen::GemmForm usual = gen::gemm_form(operand);
  if (accumulator == usual.accumulator && result == usual.result) return name(operand);
  std::string text = name(operand) + ',';
  text += name(accumulator);
  if (result == accumulator) return text;
  text += ',';
  return text + name(result);
}

GemmProblem parse_gemm_type(const std::string& text) {
  std::vector<ScalarType> types;
  for (const std::string& part : split(text, ',')) types.push_back(parse_type(part));
  if (types.size() > 3) {
    throw ArgumentError(
        fmt::format("type '{}' has {} names, a product has operands, accumulator and result", text,
                    types.size()));
  }
  const gen::GemmForm usual = gen::gemm_form(types.front());
  GemmProblem problem;
  problem.operand = types.front();
  problem.accumulator = types.size() > 1 ? types[1] : usual.accumulator;
  problem.result = types.size() > 1 ? types.back() : usual.result;
  return problem;
}

std::vector<std::string> gemm_words(const GemmProblem& problem) {
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
