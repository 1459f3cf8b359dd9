// SPDX-License-Identifier: MIT
#pragma once
// The properties that a device reports, queried once.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/runtime/vk/instance.hpp"

namespace vkmoye::vk {

/// The driver that a pipeline cache belongs to; caches of other drivers are not loaded.
struct DriverIdentity {
  std::uint32_t vendor = 0, device = 0, driver_version = 0;
  std::array<std::uint8_t, VK_UUID_SIZE> cache_uuid = {};
  std::array<std::uint8_t, VK_UUID_SIZE> device_uuid = {};
  bool operator==(const DriverIdentity&) const = default;
};

struct PhysicalDevice {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  std::uint32_t api_version = 0;  // the lower of the instance's and the device's
  DeviceCaps caps;
  /// The features that the device supports; `caps.features` of an adopted device are those that its owner enabled.
  FeatureSet supported = {};
  DriverIdentity identity;
  /// A family with compute support, and with timestamps if any such family has them.
  std::uint32_t queue_family = 0;
  std::uint32_t timestamp_bits = 0;  // bits that this family has; 0: no timestamps
  std::vector<std::string> extensions;
  std::uint32_t max_push_descriptors = 0;  // 0: the device has no VK_KHR_push_descriptor
  bool has_timelines = false;              // the feature timelineSemaphore

  bool has_extension(const char* name) const;
};

/// Queries `handle`. `queue_family`: the one that will be used; nullopt: the best one.
/// A device that vkmoye cannot use has `caps.why_unusable` set and its limits left at 0.
PhysicalDevice query(const Instance& instance, VkPhysicalDevice handle,
                     std::optional<std::uint32_t> queue_family = std::nullopt);

/// Every device of `instance`, in the loader's order. May be empty.
std::vector<PhysicalDevice> query_all(const Instance& instance);

/// The number of the largest heap that is local to the device, the first of equal ones.
std::optional<std::uint32_t> largest_device_heap(const VkPhysicalDeviceMemoryProperties& memory);

}  // namespace vkmoye::vk
