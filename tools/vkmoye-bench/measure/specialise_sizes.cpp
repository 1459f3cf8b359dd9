// SPDX-License-Identifier: MIT
#include "measure/specialise_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/reasons.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/passes/specialised_sizes.hpp"

namespace vkmoye::bench {
namespace {

// Throws ArgumentError with each name that is no size of a kernel of `plan`, or that occurs twice.
void check_names(const RunPlan& plan, const std::vector<std::string>& names) {
  std::set<std::string> known;
  for (const Step& step : plan.steps) {
    const std::vector<std::string> sizes = gen::specialisable_sizes(step.kernel);
    known.insert(sizes.begin(), sizes.end());
  }
  Reasons reasons;
  for (const std::string& name : std::set<std::string>(names.begin(), names.end())) {
    if (std::count(names.begin(), names.end(), name) > 1) {
      reasons.add(fmt::format("{} is named twice", name));
    }
    if (known.contains(name)) continue;
    const bool is_in_buffer =
        std::any_of(plan.steps.begin(), plan.steps.end(),
                    [&](const Step& step) { return step.kernel.is_in_buffer(name); });
    reasons.add(is_in_buffer
                    ? fmt::format("{} is read from a buffer, so it is not a constant", name)
                    : fmt::format("'{}' is not a size of the kernel ({})", name,
                                  known.empty() ? "it has none that is an argument"
                                                : fmt::format("{}", fmt::join(known, ", "))));
  }
  if (!reasons.empty()) {
    throw ArgumentError(reasons.text("--specialise: " + plan.steps[plan.main].kernel.name));
  }
}

}  // namespace

void specialise_sizes(RunPlan& plan, const std::string& names) {
  const bool takes_all = names == "all";
  const std::vector<std::string> wanted =
      takes_all ? std::vector<std::string>() : split(names, ',');
  if (!takes_all) check_names(plan, wanted);
  for (Step& step : plan.steps) {
    const std::vector<std::string> sizes = gen::specialisable_sizes(step.kernel);
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
