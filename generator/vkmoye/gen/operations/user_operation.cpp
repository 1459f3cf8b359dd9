// SPDX-License-Identifier: MIT
#include "vkmoye/gen/operations/user_operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/problems/rows/line_problem.hpp"

namespace vkmoye::gen {
namespace {

// All elements as one line.
LineArray whole(const UserArray& array) {
  LineArray line = {array.name, array.shape, number_of_elements(array.shape)};
  line.type = array.type;
  line.value = array.value;
  line.is_read = array.in_out;
  return line;
}

LineProblem problem_of(const UserOperation& own, const Extents& size, ScalarType type) {
  const UserProblem problem = own.problem(size, type);
  LineProblem out;
  out.lines = 1;
  for (const UserArray& input : problem.inputs) out.inputs.push_back(whole(input));
  out.results = {whole(problem.output)};
  for (const UserArray& output : problem.more_outputs) out.results.push_back(whole(output));
  out.result = 0;
  out.arguments = problem.arguments;
  out.flops = problem.flops;
  out.kernel_shape = size;
  if (!own.references && out.results.size() != 1) {
    throw ArgumentError(fmt::format(
        "operation '{}': has {} results, but only the definition of the first; set references",
        own.name, out.results.size()));
  }
  out.define = [own, problem](std::span<const Line> in, std::span<Expected> results, std::size_t) {
    if (!own.references) return own.reference(problem, in, results);
    std::vector<std::vector<Expected>> outputs;
    outputs.emplace_back(number_of_elements(problem.output.shape));
    for (const UserArray& one : problem.more_outputs) {
      outputs.emplace_back(number_of_elements(one.shape));
    }
    own.references(problem, in, outputs);
    auto to = results.begin();
    for (const auto& output : outputs) to = std::copy(output.begin(), output.end(), to);
  };
  return out;
}

}  // namespace

Operation operation_of(const UserOperation& own) {
  SizeForm size;
  size.text = own.size_form;
  size.rank = static_cast<std::size_t>(1 + std::count(size.text.begin(), size.text.end(), 'x'));
  size.example = own.example;
  return line_operation(
      own.name, [own](const LineSpec& spec) { return problem_of(own, spec.shape, spec.type); },
      std::move(size), /*is_own=*/true);
}

}  // namespace vkmoye::gen
