// SPDX-License-Identifier: MIT
#include "workloads/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "devices/fragments.hpp"
#include "devices/resident_trial.hpp"
#include "io/parse.hpp"
#include "registry/operations.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/argument_names.hpp"
#include "vkmoye/contract/kernel_interface.hpp"
#include "vkmoye/gen/passes/fixed_sizes.hpp"
#include "vkmoye/gen/passes/resident.hpp"
#include "workloads/tuned_table.hpp"

namespace vkmoye::bench {
namespace {

// The threads that share a sum in the kernel that ships: a file does not say it, and its sums must be as exact.
std::size_t usual_summing_threads(const Workload& workload, const DeviceCaps& caps) {
  if (!std::holds_alternative<gen::ElementsForm>(workload.problem->form)) return 1;
  try {
    const RunPlan usual =
        plan_over(gen::plan_of(*workload.entry, workload.request(caps), *workload.problem),
                  *workload.problem);
    return usual.steps[usual.main].kernel.summing_threads;
  } catch (const KernelError&) {
    return 1;
  }
}

// The kernel of a file takes only the arguments that it has: its sizes may be constants.
RunPlan plan_of_file(const Workload& workload, const DeviceCaps& caps) {
  const KernelInterface& kernel = workload.compiled->interface;
  std::set<std::string> names = extent_names(kernel);
  for (const PushConstant& constant : kernel.push_constants) names.insert(constant.name);
  for (const SpecialisedArgument& argument : kernel.specialised) names.insert(argument.name);
  RunPlan plan = plan_over(gen::plan_of_one({}, *workload.problem), *workload.problem);
  Step& step = plan.steps.front();
  std::erase_if(step.arguments,
                [&](const auto& argument) { return !names.contains(argument.first); });
  step.kernel.name = kernel.name;
  step.kernel.summing_threads = usual_summing_threads(workload, caps);
  step.compiled = workload.compiled;
  return plan;
}

RunPlan plan_by(const Workload& workload, const DeviceCaps& caps, gen::PlanOptions options) {
  if (workload.compiled) return plan_of_file(workload, caps);
  std::vector<gen::GemmTable> tables;
  const bool is_product = std::holds_alternative<gen::GemmProduct>(workload.problem->form);
  if (is_product && workload.entry->chooses) tables = tuned_tables(caps);
  options.tables = &tables;
  return plan_over(
      gen::plan_of(*workload.entry, workload.request(caps), *workload.problem, options),
      *workload.problem);
}

// Throws ArgumentError with each name that is no size of a kernel of `plan`, or that occurs twice.
void check_names(const RunPlan& plan, const std::vector<std::string>& names) {
  std::vector<const gen::ir::Kernel*> kernels;
  for (const Step& step : plan.steps) kernels.push_back(&step.kernel);
  const std::vector<std::string> reasons = gen::reasons_against_fixing(names, kernels);
  if (reasons.empty()) return;
  throw ArgumentError(with_reasons("--specialise: " + plan.steps[plan.main].kernel.name, reasons));
}

}  // namespace

gen::KernelRequest Workload::request(const DeviceCaps& caps) const {
  gen::KernelRequest request = {problem->form, config, caps};
  for (const auto& [name, value] : problem->kernel_options) request.options[name] = value;
  return request;
}

Workload workload_of(const gen::ProblemText& text, const Extents& size) {
  return {text.entry, operation_of(*text.entry).of_size(text, size), text.config};
}

Workload workload_of(const gen::ProblemText& text, const std::vector<gen::GivenArray>& arrays) {
  return {text.entry, operation_of(*text.entry).of_arrays(text, arrays), text.config};
}

RunPlan plan_over(gen::KernelPlan kernels, const gen::Problem& problem) {
  RunPlan plan = plan_of(std::move(kernels));
  for (std::size_t i = 0; i < problem.arrays.size(); ++i) {
    const gen::ProblemArray& array = problem.arrays[i];
    plan.arrays[i] = {plan.arrays[i].name, array.bytes, array.input, array.offset};
  }
  plan.result = problem.result;
  return plan;
}

gen::PlanOptions plan_options(Executor& executor, const Workload& workload) {
  gen::PlanOptions options;
  options.find_orders = [&](const std::vector<gen::ProbedMatrix>& probes) {
    find_fragment_orders(executor, probes, workload.entry->name);
    return executor.caps();
  };
  options.refuse = [&](const gen::KernelPlan& kernels) {
    const RunPlan plan = plan_over(kernels, *workload.problem);
    std::vector<std::string> reasons = executor.reasons_against(plan);
    return reasons.empty() ? executor.trial_failures(plan) : reasons;
  };
  return options;
}

RunPlan plan_on(Executor& executor, const Workload& workload) {
  return plan_by(workload, executor.caps(), plan_options(executor, workload));
}

RunPlan described_plan(const Workload& workload, const DeviceCaps& caps) {
  gen::PlanOptions options;
  options.without_unknown_orders = true;
  return plan_by(workload, caps, std::move(options));
}

std::uint32_t groups_in(const std::string& groups) {
  if (groups.empty() || groups == "yes" || groups == "no") return 0;
  constexpr std::uint64_t kMost = 1 << 20;
  const auto number = parse_seed(groups);
  if (number && *number >= 1 && *number <= kMost) return static_cast<std::uint32_t>(*number);
  const std::string near = did_you_mean(groups, {"yes", "no"});
  throw ArgumentError(
      fmt::format("--resident {}: needs yes, no, or a number of workgroups from 1 to {}{}", groups,
                  kMost, near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

void make_resident(RunPlan& plan, const std::string& groups, const DeviceCaps& caps) {
  const std::uint32_t given = groups_in(groups);
  if (given == 0 && groups != "yes") return;
  const std::string& name = plan.steps[plan.main].kernel.name;
  if (given == 0 && caps.resident_groups == 0) {
    throw KernelError(name, {"--resident yes: how many workgroups this device runs at once is not "
                             "known; give their number"});
  }
  gen::KernelPlan kernels;
  for (std::size_t i = 0; i < plan.arrays.size(); ++i) {
    (i < plan.given ? kernels.arrays : kernels.scratch)
        .push_back({plan.arrays[i].name, plan.arrays[i].bytes});
  }
  for (const Step& step : plan.steps) kernels.steps.push_back(step);
  kernels.main = plan.main;
  kernels.beforehand = plan.beforehand;
  RunPlan whole = plan_of(gen::resident(kernels, caps, given == 0 ? caps.resident_groups : given));
  plan.steps = std::move(whole.steps);
  plan.main = whole.main;
  plan.arrays.push_back(std::move(whole.arrays.back()));
}

void make_resident(RunPlan& plan, const std::string& groups, Executor& executor) {
  make_resident(plan, groups, executor.caps());
  for (const Step& step : plan.steps) {
    const std::uint64_t of_step = resident_groups(gen::ir::interface_of(step.kernel));
    // More than the device says is refused with the other reasons against the plan.
    if (of_step == 0 || of_step > executor.caps().resident_groups) continue;
    require_resident(executor, of_step, step.kernel.name);
  }
}

void specialise_sizes(RunPlan& plan, const std::string& names) {
  const bool takes_all = names == "all";
  const std::vector<std::string> wanted =
      takes_all ? std::vector<std::string>() : split(names, ',');
  if (!takes_all) check_names(plan, wanted);
  for (Step& step : plan.steps) {
    const std::vector<std::string> sizes = gen::fixable_sizes(step.kernel);
    std::vector<std::string> of_step = takes_all ? sizes : wanted;
    std::erase_if(of_step, [&](const std::string& name) {
      if (!takes_all) return std::find(sizes.begin(), sizes.end(), name) == sizes.end();
      const auto value = step.arguments.find(name);
      return value != step.arguments.end() && value->second == Argument(0);
    });
    if (!of_step.empty()) step.kernel = gen::with_specialised_sizes(step.kernel, of_step);
  }
}

}  // namespace vkmoye::bench
