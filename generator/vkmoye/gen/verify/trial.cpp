// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/trial.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/ir/assumptions.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"
#include "vkmoye/gen/verify/written_before_read.hpp"

namespace vkmoye::gen {

std::string text_of(const Arguments& sizes) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : sizes) parts.push_back(name + " = " + to_string(value));
  return parts.empty() ? "" : " (" + join(parts, ", ") + ")";
}

TrialReport try_at(const ir::Kernel& kernel, const Arguments& sizes) {
  TrialReport trial;
  try {
    TwinReport report = watch(kernel, sizes);
    if (!report.reasons.empty() && report.depends_on_data) {
      TwinOptions options = kWithoutData;
      options.written = arrays_written_before_read(kernel);
      if (!options.written.empty()) report = watch(kernel, sizes, options);
    }
    trial.reasons = report.reasons;
    trial.is_whole = !report.in_part;
  } catch (const BrokenAssumption& error) {
    trial.reasons.push_back(error.what());
    trial.is_launch = false;
    trial.breaks_assumption = true;
  } catch (const ArgumentError& error) {
    trial.reasons.push_back(error.what());
    trial.is_launch = false;
  }
  for (std::string& reason : trial.reasons) reason += text_of(sizes);
  return trial;
}

// Whether the launch has no workgroup.
bool is_empty(const ir::Kernel& kernel, const Arguments& sizes) {
  const auto groups = group_count(ir::interface_of(kernel), sizes);
  return std::find(groups.begin(), groups.end(), 0u) != groups.end();
}

Trials try_sizes(const ir::Kernel& kernel) {
  Trials trials;
  std::vector<std::string> broken;  // by all sizes so far
  for (const Arguments& sizes : trial_sizes(kernel)) {
    TrialReport trial = try_at(kernel, sizes);
    if (trial.breaks_assumption) {
      if (trials.whole + trials.in_part == 0) broken = std::move(trial.reasons);
      continue;
    }
    broken.clear();
    trials.reasons = std::move(trial.reasons);
    if (!trials.reasons.empty()) return trials;
    if (is_empty(kernel, sizes)) continue;  // a launch of nothing shows nothing
    ++(trial.is_whole ? trials.whole : trials.in_part);
    trials.are_all = sizes.empty() && trial.is_whole;
  }
  const bool all_are_empty = trials.whole + trials.in_part == 0 && broken.empty();
  if (all_are_empty && !ir::assumptions_of_launch(kernel).empty()) {
    trials.reasons.push_back(
        "not proved: no sizes with a workgroup were found that fulfil all assumptions");
  }
  for (const std::string& reason : broken) {
    trials.reasons.push_back("not proved: no sizes were found that fulfil all assumptions: " +
                             reason);
  }
  return trials;
}

}  // namespace vkmoye::gen
