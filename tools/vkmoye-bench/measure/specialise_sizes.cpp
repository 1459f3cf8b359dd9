// SPDX-License-Identifier: MIT
#include "measure/specialise_sizes.hpp"

#include <algorithm>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/passes/fixed_sizes.hpp"

namespace vkmoye::bench {
namespace {

// Throws ArgumentError with each name that is no size of a kernel of `plan`, or that occurs twice.
void check_names(const RunPlan& plan, const std::vector<std::string>& names) {
  std::vector<const gen::ir::Kernel*> kernels;
  for (const Step& step : plan.steps) kernels.push_back(&step.kernel);
  const std::vector<std::string> reasons = gen::reasons_against_fixing(names, kernels);
  if (reasons.empty()) return;
  throw ArgumentError(with_reasons("--specialise: " + plan.steps[plan.main].kernel.name, reasons));
}

}  // namespace

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
