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

void specialise_sizes(RunPlan& plan, const std::string& names) {
  const bool takes_all = names == "all";
  const std::vector<std::string> wanted = split(names, ',');
  std::set<std::string> known;
  for (Step& step : plan.steps) {
    const std::vector<std::string> sizes = gen::specialisable_sizes(step.kernel);
    known.insert(sizes.begin(), sizes.end());
    std::vector<std::string> of_step = takes_all ? sizes : wanted;
    std::erase_if(of_step, [&](const std::string& name) {
      if (!takes_all) return std::find(sizes.begin(), sizes.end(), name) == sizes.end();
      const auto value = step.arguments.find(name);
      return value != step.arguments.end() && value->second == Argument(0);
    });
    if (!of_step.empty()) step.kernel = gen::with_specialised_sizes(step.kernel, of_step);
  }
  if (takes_all) return;
  Reasons reasons;
  for (const std::string& name : wanted) {
    if (known.contains(name)) continue;
    reasons.add(fmt::format("'{}' is not a size of the kernel ({})", name, fmt::join(known, ", ")));
  }
  if (!reasons.empty()) throw ArgumentError(reasons.text("--specialise"));
}

}  // namespace vkmoye::bench
