// SPDX-License-Identifier: MIT
#include "registry/user_operation.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "workloads/rows/workload.hpp"

namespace vkmoye::bench {
namespace {

// The whole array as one line.
LineArray whole(const OwnArray& array) {
  const std::int64_t length =
      std::accumulate(array.shape.begin(), array.shape.end(), std::int64_t{1}, std::multiplies<>());
  return {array.name, array.shape, length, 1, 0, array.type};
}

}  // namespace

Operation user_operation(const OperationEntry& row) {
  Operation out = line_operation(row.name, [row](const LineSpec& spec) {
    const Problem problem = row.problem(spec.shape, spec.type);
    LineOperation operation;
    operation.lines = 1;
    for (const OwnArray& input : problem.inputs) operation.inputs.push_back(whole(input));
    operation.output = whole(problem.output);
    operation.arguments = problem.arguments;
    operation.flops = problem.flops;
    operation.kernel_shape = spec.shape;
    operation.definition = [row, problem](const DeviceCaps&) -> DefineLine {
      return [row, problem](std::span<const Line> in, std::span<Defined> result) {
        row.reference(problem, in, result);
      };
    };
    return operation;
  });
  const auto extents =
      static_cast<std::size_t>(1 + std::count(row.size_form.begin(), row.size_form.end(), 'x'));
  out.size = {row.size_form, extents, false, row.example};
  return out;
}

}  // namespace vkmoye::bench
