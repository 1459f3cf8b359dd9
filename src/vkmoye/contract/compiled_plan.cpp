// SPDX-License-Identifier: MIT
#include "vkmoye/contract/compiled_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/round_up.hpp"
#include "vkmoye/contract/specialisation.hpp"

namespace vkmoye {
namespace {

// Below this, offsets in scratch memory do not wrap, even with padding.
constexpr std::uint64_t kMaxScratchBytes = std::uint64_t{1} << 62;

// `is_written`: for each array, whether it has contents before the step. Precondition: the step has as many arrays as
// bindings.
void check_command(const CompiledPlan& plan, const CompiledStep& step, const std::string& subject,
                   const std::vector<bool>& is_written, std::vector<std::string>& reasons) {
  const std::size_t command = *step.indirect, given = plan.arrays.size();
  if (command < given || command - given >= plan.scratch.size()) {
    reasons.push_back(fmt::format(
        "{}: its groups are in array {}, which is not scratch: the plan has {} arrays of the "
        "caller, then {} of scratch",
        subject, command, given, plan.scratch.size()));
    return;
  }
  const PlanArray& array = plan.array(command);
  if (array.bytes < kCommandBytes) {
    reasons.push_back(fmt::format("{}: its groups are in {}, which has {} bytes instead of {}",
                                  subject, array.name, array.bytes, kCommandBytes));
  }
  if (!is_written[command]) {
    reasons.push_back(
        fmt::format("{}: its groups are in {}, which no earlier step writes", subject, array.name));
  }
  for (std::size_t b = 0; b < step.arrays.size(); ++b) {
    const Binding& binding = step.kernel.interface.bindings[b];
    if (step.arrays[b] != command || binding.access == Access::read) continue;
    reasons.push_back(fmt::format("{}: writes {}, which has its own groups", subject, array.name));
  }
}

}  // namespace

std::vector<const KernelInterface*> kernels_of(const CompiledPlan& plan) {
  std::vector<const KernelInterface*> kernels;
  for (const CompiledStep& step : plan.steps) kernels.push_back(&step.kernel.interface);
  return kernels;
}

ScratchPlaces scratch_places(const CompiledPlan& plan, const DeviceCaps& caps) {
  const std::uint64_t step = std::max<std::uint64_t>(caps.storage_buffer_alignment, 16);
  ScratchPlaces places;
  for (const PlanArray& array : plan.scratch) {
    places.offsets.push_back(round_up(places.bytes, step));
    places.bytes = places.offsets.back() + array.bytes;
  }
  return places;
}

std::vector<std::string> reasons_against(const CompiledPlan& plan) {
  std::vector<std::string> reasons;
  std::uint64_t room = kMaxScratchBytes;
  for (const PlanArray& array : plan.scratch) {
    if (array.bytes > room) {
      reasons.push_back(fmt::format("scratch {} of {} bytes: all of them have at most 2^62",
                                    array.name, array.bytes));
    } else {
      room -= array.bytes;
    }
  }
  const std::size_t count = plan.arrays.size() + plan.scratch.size();
  std::vector<bool> is_written(count);
  std::fill_n(is_written.begin(), plan.arrays.size(), true);
  if (plan.steps.empty()) reasons.emplace_back("it has no steps");
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const CompiledStep& step = plan.steps[s];
    const std::vector<Binding>& bindings = step.kernel.interface.bindings;
    // A kernel whose workgroups wait for each other reads what it wrote itself.
    const bool has_phases = step.kernel.interface.arrivals.has_value();
    const std::string subject = fmt::format("step {}, {}", s, step.kernel.interface.name);
    if (bindings.size() != step.arrays.size()) {
      reasons.push_back(fmt::format("{}: has {} bindings, but {} arrays", subject, bindings.size(),
                                    step.arrays.size()));
      continue;
    }
    for (std::size_t b = 0; b < bindings.size(); ++b) {
      const std::size_t array = step.arrays[b];
      if (array >= count) {
        reasons.push_back(fmt::format("{}: {} is array {}, but the plan has {} arrays", subject,
                                      bindings[b].name, array, count));
      } else if (step.kernel.interface.arrivals == b && array < plan.arrays.size()) {
        reasons.push_back(fmt::format("{}: {} is an array of the caller, but arrivals are scratch",
                                      subject, bindings[b].name));
      } else if (!is_written[array] &&
                 (bindings[b].access == Access::read ||
                  (bindings[b].access == Access::read_write && !has_phases))) {
        reasons.push_back(fmt::format("{}: reads {}, which no earlier step writes", subject,
                                      plan.array(array).name));
      }
    }
    if (step.indirect) check_command(plan, step, subject, is_written, reasons);
    for (const std::string& reason :
         reasons_against_specialised(step.kernel.interface, step.arguments)) {
      reasons.push_back(fmt::format("{}: {}", subject, reason));
    }
    for (std::size_t b = 0; b < bindings.size(); ++b) {
      if (bindings[b].access == Access::read || step.arrays[b] >= count) continue;
      is_written[step.arrays[b]] = true;
    }
  }
  return reasons;
}

}  // namespace vkmoye
