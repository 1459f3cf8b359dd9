// SPDX-License-Identifier: MIT
#pragma once
// A VkDevice with one compute queue that this object owns, or that it borrows and does not destroy.

#include "vkmoye/runtime/vk/physical_device.hpp"

namespace vkmoye::vk {

class LogicalDevice {
 public:
  /// Creates one with every feature of `physical.caps`; `statistics`: also with pipeline statistics, if supported.
  /// Throws DeviceError.
  LogicalDevice(const Instance& instance, const PhysicalDevice& physical, bool statistics);
  /// Borrows the user's device. The last two parameters: the number of push descriptors for a pipeline (0: the
  /// extension is not enabled), and whether timeline semaphores are enabled.
  LogicalDevice(const Instance& instance, VkDevice device, VkQueue queue,
                std::uint32_t push_descriptors, bool timelines);
  ~LogicalDevice();
  LogicalDevice(const LogicalDevice&) = delete;
  LogicalDevice& operator=(const LogicalDevice&) = delete;

  VkDevice handle() const { return handle_; }
  VkQueue queue() const { return queue_; }
  const DeviceTable& table() const { return table_; }
  /// Whether VK_KHR_pipeline_executable_properties is enabled.
  bool has_statistics() const { return statistics_; }
  /// The most push descriptors of a pipeline; 0: VK_KHR_push_descriptor is not enabled.
  std::uint32_t max_push_descriptors() const { return push_descriptors_; }
  bool has_timelines() const { return timelines_; }
  /// Whether it belongs to the user.
  bool is_borrowed() const { return !owned_; }
  /// Whether VK_EXT_memory_budget is enabled.
  bool has_memory_budget() const { return memory_budget_; }

 private:
  VkDevice handle_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  bool owned_ = false;
  bool memory_budget_ = false;
  bool statistics_ = false;
  std::uint32_t push_descriptors_ = 0;
  bool timelines_ = false;
  DeviceTable table_;
};

}  // namespace vkmoye::vk
