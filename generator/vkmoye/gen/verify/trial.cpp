// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/trial.hpp"

#include <fmt/format.h>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"

namespace vkmoye::gen {

std::string text_of(const Arguments& sizes) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : sizes) parts.push_back(name + " = " + to_string(value));
  return parts.empty() ? "" : " (" + join(parts, ", ") + ")";
}

TrialReport try_at(const ir::Kernel& kernel, const Arguments& sizes) {
  TrialReport trial;
  try {
    const TwinReport report = watch(kernel, sizes);
    trial.reasons = report.reasons;
    trial.is_whole = !report.in_part;
  } catch (const ArgumentError& error) {
    trial.reasons.push_back(error.what());
    trial.is_launch = false;
  }
  for (std::string& reason : trial.reasons) reason += text_of(sizes);
  return trial;
}

Trials try_sizes(const ir::Kernel& kernel) {
  Trials trials;
  for (const Arguments& sizes : trial_sizes(kernel)) {
    TrialReport trial = try_at(kernel, sizes);
    trials.reasons = std::move(trial.reasons);
    if (!trials.reasons.empty()) return trials;
    ++(trial.is_whole ? trials.whole : trials.in_part);
    trials.are_all = sizes.empty() && trial.is_whole;
  }
  return trials;
}

}  // namespace vkmoye::gen
