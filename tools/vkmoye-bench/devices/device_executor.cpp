// SPDX-License-Identifier: MIT
#include "devices/device_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "devices/driver_report.hpp"
#include "devices/time_launches.hpp"
#include "devices/trials.hpp"
#include "vkmoye/base/reasons.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/specialisation.hpp"
#include "vkmoye/gen/compile.hpp"

namespace vkmoye::bench {

namespace {

// Why the device cannot run a step, with arrays of the sizes that follow from its arguments.
std::vector<std::string> reasons_against(const DeviceCaps& caps, const Step& step) {
  const KernelInterface kernel = interface_of(step);
  Reasons reasons;
  reasons.add_all(vkmoye::reasons_against(kernel, caps));
  reasons.add_all(reasons_against_specialised(kernel, step.arguments));
  for (const Binding& binding : kernel.bindings) {
    std::vector<std::string> against = vkmoye::reasons_against(binding, step.arguments, caps);
    if (against.empty()) {
      const std::uint64_t guarded = GuardedBuffer::allocated_bytes(
          caps, element_count(binding, step.arguments) * size_of(binding.type));
      for (const std::string& reason : reasons_against_buffer(caps, guarded)) {
        against.push_back(binding.name + " with its guard words: " + reason);
      }
    }
    // For arrays of constant size, the reasons against the kernel already contain these.
    reasons.add_all(std::move(against));
  }
  return std::move(reasons).take();
}

}  // namespace

std::vector<std::string> reasons_against(const DeviceCaps& caps, const RunPlan& plan) {
  std::vector<std::string> reasons = reasons_against_arrays(plan);
  for (const Step& step : plan.steps) {
    if (step.indirect) {
      reasons.push_back(
          fmt::format("{} takes its groups from a buffer, as only a PlanRecorder records it",
                      step.kernel.name));
    }
    for (std::string& reason : reasons_against(caps, step)) {
      if (plan.steps.size() > 1) reason = step.kernel.name + ": " + reason;
      reasons.push_back(std::move(reason));
    }
  }
  std::uint64_t total = 0;
  for (const Array& array : plan.arrays) {
    const std::uint64_t guarded = GuardedBuffer::allocated_bytes(caps, array.bytes);
    total += guarded;
    if (array.offset == 0) continue;  // then the binding covers the whole array
    for (const std::string& reason : reasons_against_buffer(caps, guarded)) {
      reasons.push_back(fmt::format("{} with the {} bytes before its first element: {}", array.name,
                                    array.offset, reason));
    }
  }
  if (total > caps.device_memory_bytes) {
    reasons.push_back(
        fmt::format("needs {} bytes in total, the device has {}", total, caps.device_memory_bytes));
  }
  return reasons;
}

DeviceExecution::DeviceExecution(Device& device, const RunPlan& plan, std::vector<Pipeline> kernels)
    : Execution(plan), device_(device), kernels_(std::move(kernels)), beforehand_(plan.beforehand) {
  for (const Array& array : plan.arrays) {
    names_.push_back(array.name);
    buffers_.emplace_back(device, array.bytes);
  }
  for (const Step& step : plan.steps) {
    std::vector<BufferView> views;
    for (const std::size_t array : step.arrays) {
      views.push_back(buffers_[array].view(plan.arrays[array].offset));
    }
    launches_.push_back(device.prepare(kernels_[launches_.size()], views, step.arguments));
  }
}

void DeviceExecution::write(std::size_t array, std::span<const std::byte> from,
                            std::uint64_t offset) {
  buffers_[array].write(from, offset);
}

void DeviceExecution::read(std::size_t array, std::span<std::byte> to, std::uint64_t offset) const {
  buffers_[array].read(to, offset);
}

void DeviceExecution::run() {
  for (const Launch& launch : launches_) device_.run(launch);
}

std::string DeviceExecution::damage() const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const std::string damage = buffers_[i].damage();
    if (!damage.empty()) all.push_back(names_[i] + ": " + damage);
  }
  return join(all, "; ");
}

std::vector<std::string> DeviceExecution::spills() const {
  std::vector<std::string> all;
  for (const Pipeline& kernel : kernels_) {
    for (const PipelineExecutable& executable : executables_of(kernel)) {
      const std::string what = spilled(executable);
      if (!what.empty()) all.push_back(kernel.interface().name + ": " + what);
    }
  }
  return all;
}

Timing DeviceExecution::measure(const TimingRules& rules) {
  return time_launches(device_, std::span<const Launch>(launches_).subspan(beforehand_), rules);
}

std::vector<std::string> DeviceExecutor::reasons_against(const RunPlan& plan) const {
  return bench::reasons_against(caps(), plan);
}

std::vector<std::string> DeviceExecutor::trial_failures(const RunPlan& plan) {
  const MatrixVerdicts verdicts(facts_);
  std::vector<std::string> wrong;
  for (const Step& step : plan.steps) {
    const KernelInterface kernel = interface_of(step);
    add_all(wrong, reasons_against_matrices(device_, kernel, verdicts));
  }
  return wrong;
}

std::unique_ptr<Execution> DeviceExecutor::prepare(const RunPlan& plan) {
  const std::vector<std::string> wrong = trial_failures(plan);
  if (!wrong.empty()) throw Unavailable(join(wrong, "; "));
  std::vector<Pipeline> kernels;
  for (const Step& step : plan.steps) {
    const CompiledKernel kernel = step.compiled ? *step.compiled : gen::compile(step.kernel);
    kernels.push_back(device_.load(kernel, specialised_among(kernel.interface, step.arguments)));
  }
  return std::make_unique<DeviceExecution>(device_, plan, std::move(kernels));
}

std::string DeviceExecutor::save_pipeline_cache() {
  device_.save_cache();
  const std::string status = device_.cache_status();
  const bool good = status.find("; not saved: ") == std::string::npos &&
                    !status.starts_with("rebuilt: ") && !status.starts_with("not read: ");
  return good ? "" : "pipeline cache: " + status;
}

}  // namespace vkmoye::bench
