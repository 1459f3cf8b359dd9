// SPDX-License-Identifier: MIT
#include "measure/repeat_command.hpp"

#include <fmt/format.h>

#include <vector>

#include "io/parse.hpp"
#include "registry/operations.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {

std::string repeat_command(const DeviceCaps& device, const Workload& workload,
                           const MeasureOptions& options) {
  std::vector<std::string> words = {options.program, "run"};
  if (workload.subject.empty()) words.push_back(workload.entry->name);
  words.insert(words.end(), workload.subject.begin(), workload.subject.end());
  const auto add = [&](const std::string& name, const std::string& value) {
    words.push_back("--" + name);
    words.push_back(value);
  };
  add("size", size_text(workload.problem->size));
  add("type", workload.problem->type_text);
  const std::vector<std::string> of_work = workload.problem->command_words;
  words.insert(words.end(), of_work.begin(), of_work.end());
  for (const auto& [name, value] : workload.request(device).options) add(name, value);
  const MeasureOptions defaults;
  if (options.bake) words.push_back("--bake");
  if (!options.specialise.empty()) add("specialise", options.specialise);
  if (options.verify) add("verify", to_string(*options.verify));
  if (options.min_time != defaults.min_time) add("min-time", fmt::format("{}", options.min_time));
  if (options.stop_noise) add("stop-noise", fmt::format("{}", *options.stop_noise));
  if (options.budget != defaults.budget) add("budget", fmt::format("{}", options.budget));
  if (options.cold) words.push_back("--cold");
  std::vector<std::string> baselines;  // those that compute the same
  for (const std::string& name : options.baselines) {
    if (is_baseline_of(name, *workload.entry)) baselines.push_back(name);
  }
  if (!baselines.empty()) add("baseline", join(baselines, ","));
  if (options.gate) add("gate", fmt::format("{}", *options.gate));
  if (options.seed != defaults.seed) add("seed", std::to_string(options.seed));
  add("device",
      options.device.empty() ? device.name.substr(0, device.name.find(" (")) : options.device);
  return shell_line(words);
}

}  // namespace vkmoye::bench
