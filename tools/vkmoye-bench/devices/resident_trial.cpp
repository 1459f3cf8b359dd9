// SPDX-License-Identifier: MIT
#include "devices/resident_trial.hpp"

#include <fmt/format.h>

#include "devices/facts.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/common/resident_trial.hpp"

namespace vkmoye::bench {
namespace {

constexpr const char* kRunAtOnce = "yes";
constexpr const char* kDoNot = "no";

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
  return true;
}

}  // namespace

void require_at_once(Executor& executor, std::uint64_t groups, const std::string& subject) {
  const DeviceFacts* facts = executor.facts();
  if (facts == nullptr) return;
  const std::string name = fmt::format("{} workgroups at once", groups);
  auto fact = facts->find(executor.caps(), name);
  if (fact != kRunAtOnce && fact != kDoNot) {
    try {
      fact = run_at_once(executor, static_cast<std::int64_t>(groups)) ? kRunAtOnce : kDoNot;
    } catch (const Unavailable& why) {
      throw DeviceLacks(subject, {why.what()});
    }
    facts->store(executor.caps(), name, *fact);
  }
  if (fact == kRunAtOnce) return;
  throw DeviceLacks(subject,
                    {fmt::format("{} workgroups must run at once; in a trial on this device, "
                                 "one waited for the others in vain",
                                 groups)});
}

}  // namespace vkmoye::bench
