// SPDX-License-Identifier: MIT
// A benchmark of all models: list, run, explain, emit, apply and the other commands of vkmoye-bench.

#include "model.hpp"

namespace models {
namespace {

bench::Registry& models() {
  static bench::Registry all;
  return all;
}

// Those of `all` that the kernel has.
Arguments arguments_of(const ir::Kernel& kernel, const Arguments& own, const Arguments& all) {
  Arguments out;
  for (const std::string& name : argument_names(interface_of(kernel))) {
    const auto from_step = own.find(name), from_problem = all.find(name);
    if (from_step != own.end()) out.insert(*from_step);
    if (from_step == own.end() && from_problem != all.end()) out.insert(*from_problem);
  }
  return out;
}

// The number of the step that --step selects, from 0 on.
std::size_t selected(const KernelRequest& request, std::size_t steps) {
  const auto given = request.options.find("step");
  if (given == request.options.end()) return 0;
  for (std::size_t i = 0; i < steps; ++i) {
    if (given->second == std::to_string(i + 1)) return i;
  }
  throw KernelError("--step", {given->second + " is not from 1 to " + std::to_string(steps)});
}

KernelPlan plan_of_steps(const Steps& of, const KernelRequest& request,
                         const Problem& problem) {
  KernelPlan plan;
  for (const ProblemArray& array : problem.arrays)
    plan.arrays.push_back({array.name, array.bytes});
  plan.scratch = of.scratch;
  for (const Step& step : of.steps) {
    plan.steps.push_back(
        {step.kernel, arguments_of(step.kernel, step.own, problem.arguments), step.arrays});
  }
  plan.main = selected(request, plan.steps.size());
  return plan;
}

}  // namespace

Model::Model(Parts parts) {
  bench::OperationEntry operation;
  operation.name = parts.name;
  operation.size_form = parts.size_form;
  operation.example = parts.example;
  operation.problem = [problem = parts.problem](const Size& size, ScalarType) {
    return problem(size);
  };
  operation.reference = parts.reference;
  operation.references = parts.references;
  models().operations.push_back(std::move(operation));

  KernelEntry entry;
  entry.name = entry.operation = parts.name;
  entry.summary = parts.summary;
  entry.source = "tests/consumer/models";
  entry.types = {parts.type};
  entry.describe = [parts](const KernelRequest& request) {
    if (parts.kernel) return parts.kernel(request.device);
    const Steps all = parts.steps(request.device, parts.example);
    return all.steps[selected(request, all.steps.size())].kernel;
  };
  if (parts.steps) {
    entry.options = {{"step", "1", "the step that explain reports", "a number from 1 on"}};
    entry.plan = [parts](const KernelEntry&, const KernelRequest& request,
                         const Problem& problem, const PlanOptions&) {
      return plan_of_steps(parts.steps(request.device, problem.size), request, problem);
    };
  }
  models().kernels.push_back(std::move(entry));
}

}  // namespace models

int main(int argc, char** argv) {
  auto& all = models::models();
  std::sort(all.kernels.begin(), all.kernels.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return vkmoye::bench::main(argc, argv, all);
}
