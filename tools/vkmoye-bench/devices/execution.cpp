// SPDX-License-Identifier: MIT
#include "devices/execution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vkmoye/base/error.hpp"

namespace vkmoye::bench {

KernelInterface interface_of(const Step& step) {
  return step.compiled ? step.compiled->interface : gen::ir::interface_of(step.kernel);
}

RunPlan plan_of(gen::KernelPlan plan) {
  RunPlan out;
  for (const auto* arrays : {&plan.arrays, &plan.scratch}) {
    for (const PlanArray& array : *arrays) out.arrays.push_back({array.name, array.bytes, {}, 0});
  }
  for (gen::KernelStep& step : plan.steps) {
    const auto arrivals = gen::ir::interface_of(step.kernel).arrivals;
    if (arrivals) out.arrays[step.arrays[*arrivals]].is_zero = true;
    out.steps.push_back({std::move(step)});
  }
  out.given = plan.arrays.size();
  out.main = plan.main;
  out.beforehand = plan.beforehand;
  out.chosen = std::move(plan.chosen);
  out.why = std::move(plan.why);
  out.left_out = std::move(plan.left_out);
  return out;
}

std::vector<std::string> reasons_against_arrays(const RunPlan& plan) {
  std::vector<std::string> reasons;
  for (const Step& step : plan.steps) {
    const auto bindings = interface_of(step).bindings;
    if (bindings.size() != step.arrays.size()) {
      reasons.push_back(fmt::format("{} has {} bindings, but its step has {} arrays",
                                    step.kernel.name, bindings.size(), step.arrays.size()));
      continue;
    }
    for (std::size_t i = 0; i < bindings.size(); ++i) {
      const Array& array = plan.arrays.at(step.arrays[i]);
      std::uint64_t elements = 0;
      try {
        elements = element_count(bindings[i], step.arguments);
      } catch (const ArgumentError&) {
        continue;  // reported by the executor
      }
      const std::uint64_t width = size_of(bindings[i].type);
      const std::uint64_t there = array.bytes - std::min(array.bytes, array.offset);
      if (there / width >= elements) continue;
      reasons.push_back(
          fmt::format("{} of {} has {} elements, but {} has only {} bytes after its offset",
                      bindings[i].name, step.kernel.name, elements, array.name, there));
    }
  }
  return reasons;
}

Execution::Execution(const RunPlan& plan)
    : has_matrices_(std::any_of(plan.steps.begin(), plan.steps.end(),
                                [](const Step& step) {
                                  return interface_of(step).features.has(
                                      Feature::cooperative_matrix);
                                })),
      summing_threads_(plan.steps[plan.main].kernel.summing_threads) {}

}  // namespace vkmoye::bench
