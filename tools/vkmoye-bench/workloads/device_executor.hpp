#pragma once
// Kernels on a Vulkan device, each array between guard words.

#include <utility>
#include <vector>

#include "vkmoye/contract/compiled_kernel.hpp"
#include "vkmoye/runtime/guarded_buffer.hpp"
#include "workloads/execution.hpp"

namespace vkmoye::bench {

/// Why the device of `caps` cannot run a kernel on arrays of the sizes that `arguments` say, guard
/// words included: asked before anything is allocated. Empty: it can.
std::vector<std::string> reasons_against(const DeviceCaps& caps, const KernelInterface& kernel,
                                         const Arguments& arguments);

class DeviceExecution : public Execution {
 public:
  DeviceExecution(Device& device, const Pipeline& kernel, const std::vector<Array>& arrays,
                  const Arguments& arguments);

  void write(std::size_t array, std::span<const std::byte> from, std::uint64_t offset) override;
  void read(std::size_t array, std::span<std::byte> to, std::uint64_t offset) const override;
  void run() override;
  std::string damage() const override;
  const DeviceCaps& caps() const override { return device_.caps(); }
  DeviceExecution* on_device() override { return this; }

  /// Samples of the kernel's time.
  Timing measure(const TimeOptions& times);
  Device& device() { return device_; }
  /// In the order of the arrays.
  const std::vector<GuardedBuffer>& buffers() const { return buffers_; }

 private:
  Device& device_;
  std::vector<std::string> names_;
  std::vector<GuardedBuffer> buffers_;
  Launch launch_;
};

class DeviceExecutor : public Executor {
 public:
  explicit DeviceExecutor(Device device) : device_(std::move(device)) {}

  const DeviceCaps& caps() const override { return device_.caps(); }
  std::vector<std::string> reasons_against(const KernelInterface& kernel,
                                           const Arguments& arguments) const override;
  std::unique_ptr<Execution> prepare(const gen::ir::Kernel& kernel,
                                     const std::vector<Array>& arrays,
                                     const Arguments& arguments) override;
  /// The pipeline cache: without it nothing is wrong, but every start is as slow as the first.
  std::string keep() override;

 private:
  Device device_;
};

}  // namespace vkmoye::bench
