// SPDX-License-Identifier: MIT
#include "devices/device_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "devices/driver_report.hpp"
#include "devices/execution.hpp"
#include "devices/trials.hpp"
#include "timing/sampling.hpp"
#include "vkmoye/base/reasons.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/specialisation.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::bench {
namespace {

// More than the largest known caches of GPUs (256 MiB).
constexpr std::uint64_t kFlushBytes = std::uint64_t{384} << 20;
constexpr std::int64_t kElementsOfRow = 4096;
constexpr int kTimes = 3;

// Evicts everything from the caches by reading a large buffer. What this leaves there need not be written back, which
// would take time from the kernel that follows: 27 us instead of 25 on an H200.
class CacheFlush {
 public:
  explicit CacheFlush(Device& device)
      : device_(device),
        rows_(std::min<std::uint64_t>(kFlushBytes, device.caps().max_storage_buffer_bytes) / 4 /
              kElementsOfRow),
        from_(device.buffer(4 * rows_ * kElementsOfRow)),
        to_(device.buffer(4 * rows_)),
        launch_(make_launch()) {}

  // Several times, so that the device is busy for most of the time and does not lower its clocks.
  void run() {
    for (int i = 0; i < kTimes; ++i) device_.run(launch_);
  }

 private:
  Launch make_launch() {
    const gen::ir::Kernel sum =
        gen::find_kernel("reduce/sum")
            ->describe(
                {.form = gen::ElementsForm(
                     ScalarType::u32, Extents{static_cast<std::int64_t>(rows_), kElementsOfRow}),
                 .device = device_.caps()});
    return device_.prepare(device_.load(gen::compile(sum)), {from_, to_},
                           {{"rows", rows_}, {"cols", kElementsOfRow}});
  }

  Device& device_;
  std::uint64_t rows_;  // of kElementsOfRow elements of 4 bytes
  Buffer from_, to_;
  Launch launch_;
};

Timing time_cold(Device& device, CacheFlush& flush, std::span<const Launch> launches,
                 TimeOptions times) {
  times.batch_seconds = 0;  // one launch per sample
  const Clock clock = device.caps().timestamp_period_ns > 0 ? Clock::device : Clock::host;
  return sample(times, clock, [&](std::uint32_t count) {
    std::vector<double> samples;
    for (std::uint32_t i = 0; i < count; ++i) {
      flush.run();
      double microseconds = 0;
      for (const Launch& launch : launches) microseconds += device.run(launch);
      samples.push_back(microseconds);
    }
    return samples;
  });
}

}  // namespace

Timing time_launches(Device& device, std::span<const Launch> launches, const TimingRules& rules) {
  std::optional<CacheFlush> flush;  // one for all rounds, since its buffers are large
  if (rules.cold) flush.emplace(device);
  return sample_until_quiet(rules, [&](const TimeOptions& times) {
    return rules.cold ? time_cold(device, *flush, launches, times)
                      : vkmoye::measure(device, launches, times);
  });
}

void require_warm(const TimingRules& rules) {
  if (rules.cold) throw Unavailable("can be timed only with warm caches, but --cold was given");
}

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
    if (!array.is_zero) continue;
    buffers_.back().write(std::vector<std::byte>(array.bytes));
    arrivals_.push_back(buffers_.size() - 1);
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
  for (const std::size_t array : arrivals_) {
    std::array<std::uint32_t, 2> words = {};
    read(array, std::as_writable_bytes(std::span(words)), /*offset=*/0);
    if (words[1] == 0) continue;
    buffers_[array].write(std::vector<std::byte>(sizeof words));
    throw Unavailable("a workgroup waited in vain for others, which did not run at the same time");
  }
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
