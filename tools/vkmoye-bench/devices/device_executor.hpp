// SPDX-License-Identifier: MIT
#pragma once
// Runs kernels on a Vulkan device, with guard words around each array, and times launches with warm or cold caches.

#include <span>
#include <utility>
#include <vector>

#include "devices/execution.hpp"
#include "devices/facts.hpp"
#include "timing/sampling.hpp"
#include "vkmoye/runtime/guarded_buffer.hpp"

namespace vkmoye::bench {

/// Times the launches in order, like vkmoye::measure.
Timing time_launches(Device& device, std::span<const Launch> launches, const TimingRules& rules);

/// Throws Unavailable if the rules require cold caches: for baselines that do not use `time_launches`.
void require_warm(const TimingRules& rules);

/// Why the device of `caps` cannot run the plan on its arrays, including guard words. Checked before any allocation.
/// Empty: it can.
std::vector<std::string> reasons_against(const DeviceCaps& caps, const RunPlan& plan);

class DeviceExecution : public Execution {
 public:
  /// `kernels`: those of the steps.
  DeviceExecution(Device& device, const RunPlan& plan, std::vector<Pipeline> kernels);

  void write(std::size_t array, std::span<const std::byte> from, std::uint64_t offset) override;
  void read(std::size_t array, std::span<std::byte> to, std::uint64_t offset) const override;
  void run() override;
  std::string damage() const override;
  const DeviceCaps& caps() const override { return device_.caps(); }
  DeviceExecution* on_device() override { return this; }

  /// Samples the time of the steps, without those beforehand.
  Timing measure(const TimingRules& rules);
  /// Registers that the driver's compiler spilled, one line per kernel; needs OpenOptions::statistics.
  std::vector<std::string> spills() const;
  Device& device() { return device_; }
  /// The buffers in the order of the plan's arrays.
  const std::vector<GuardedBuffer>& buffers() const { return buffers_; }

 private:
  Device& device_;
  std::vector<std::string> names_;
  std::vector<GuardedBuffer> buffers_;
  std::vector<std::size_t> arrivals_;  // arrays with which workgroups wait for each other
  std::vector<Launch> launches_;
  std::vector<Pipeline> kernels_;
  std::size_t beforehand_;
};

class DeviceExecutor : public Executor {
 public:
  explicit DeviceExecutor(Device device,
                          DeviceFacts facts = DeviceFacts(DeviceFacts::default_file()))
      : Executor(device.caps()), device_(std::move(device)), facts_(std::move(facts)) {}

  const DeviceFacts* facts() const override { return &facts_; }
  std::vector<std::string> reasons_against(const RunPlan& plan) const override;
  std::vector<std::string> trial_failures(const RunPlan& plan) override;
  std::unique_ptr<Execution> prepare(const RunPlan& plan) override;
  /// Saves the pipeline cache: otherwise, every start would be as slow as the first.
  std::string save_pipeline_cache() override;

 private:
  Device device_;
  DeviceFacts facts_;
};

}  // namespace vkmoye::bench
