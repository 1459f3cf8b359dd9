// SPDX-License-Identifier: MIT
#include "devices/resident_trial.hpp"

#include <fmt/format.h>

#include <span>
#include <vector>

#include "devices/facts.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/common/resident_trial.hpp"

namespace vkmoye::bench {
namespace {

bool run_at_once(Executor& executor, std::int64_t groups) {
  const RunPlan plan = plan_of(gen::resident_trial(executor.caps(), groups));
  const auto reasons = executor.reasons_against(plan);
  if (!reasons.empty()) throw Unavailable("trial: " + join(reasons, "; "));
  const auto execution = executor.prepare(plan);
  try {
    execution->run();
  } catch (const Unavailable&) {  // one waited in vain
    return false;
  }
  std::vector<std::uint32_t> result(plan.arrays[0].bytes / sizeof(std::uint32_t));
  execution->read(0, std::as_writable_bytes(std::span(result)), /*offset=*/0);
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i] != result.size() - 1 - i) return false;
  }
  return true;
}

}  // namespace

void require_resident(Executor& executor, std::uint64_t groups, const std::string& subject) {
  const DeviceFacts* facts = executor.facts();
  if (facts == nullptr) return;
  // The threads of a CPU may be others in the next run.
  const bool is_kept = executor.caps().kind != DeviceKind::cpu;
  const std::string name = fmt::format("{} workgroups at once", groups);
  if (is_kept && facts->find(executor.caps(), name) == "yes") return;
  bool run = false;
  try {
    run = run_at_once(executor, static_cast<std::int64_t>(groups));
  } catch (const Unavailable& why) {
    throw DeviceLacks(subject, {why.what()});
  }
  if (!run) {
    throw DeviceLacks(subject,
                      {fmt::format("{} workgroups must run at once; in a trial on this device, one "
                                   "timed out waiting for the others",
                                   groups)});
  }
  if (is_kept) facts->store(executor.caps(), name, "yes");
}

}  // namespace vkmoye::bench
