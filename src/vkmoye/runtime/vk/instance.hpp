// SPDX-License-Identifier: MIT
#pragma once
// The way to the drivers: the loader library, and an instance with or without validation.

#include <cstdint>
#include <functional>
#include <string>

#include "vkmoye/runtime/vk/table.hpp"

namespace vkmoye::vk {

/// The newest Vulkan version that vkmoye uses; a device is used with the lower of this version and its own.
inline constexpr std::uint32_t kApiVersion = VK_API_VERSION_1_3;

/// The system's Vulkan loader, opened at run time and closed with this object.
class Loader {
 public:
  /// Throws DeviceError (kNoDevice) if there is none.
  Loader();
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  PFN_vkGetInstanceProcAddr get_instance_proc_addr() const { return get_; }

 private:
  void* library_ = nullptr;
  PFN_vkGetInstanceProcAddr get_ = nullptr;
};

struct Validation {
  bool enabled = false;                                // core and synchronization validation
  bool names = false;                                  // VK_EXT_debug_utils, where there is one
  std::function<void(const std::string&)> on_message;  // each warning and error, any thread
};

/// A VkInstance that this object owns, or that it borrows and does not destroy.
class Instance {
 public:
  /// Throws DeviceError: no driver (kNoDevice), or validation was requested but its layer is not installed.
  Instance(PFN_vkGetInstanceProcAddr get, const Validation& validation);
  /// Borrows `instance`, created for `api_version`.
  Instance(PFN_vkGetInstanceProcAddr get, VkInstance instance, std::uint32_t api_version);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  VkInstance handle() const { return handle_; }
  const InstanceTable& table() const { return table_; }
  std::uint32_t api_version() const { return api_version_; }  // at most kApiVersion
  /// Whether this object enabled VK_EXT_debug_utils. False for a borrowed instance, because Vulkan cannot tell.
  bool has_debug_utils() const { return debug_utils_; }

 private:
  std::function<void(const std::string&)> on_message_;  // the messenger points to it
  VkInstance handle_ = VK_NULL_HANDLE;
  bool owned_ = false;
  bool debug_utils_ = false;
  std::uint32_t api_version_ = 0;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  InstanceTable table_;
};

}  // namespace vkmoye::vk
