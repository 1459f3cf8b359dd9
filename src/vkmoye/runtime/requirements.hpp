// SPDX-License-Identifier: MIT
#pragma once
// The features and extensions that your vkCreateDevice must enable to run vkmoye's kernels, to be merged with
// those you enable anyway.
//
//   const DeviceCaps caps = caps_of(vkGetInstanceProcAddr, instance, physical_device, VK_API_VERSION_1_3);
//   const DeviceRequirements needs = required_for({&gemm.interface}, caps, VK_API_VERSION_1_3);
//   extensions.insert(extensions.end(), needs.extensions.begin(), needs.extensions.end());
//   enable(needs, features);                       // a chain of yours that begins with VkPhysicalDeviceFeatures2
//   .. vkCreateDevice ..
//   adopted.features = needs.features;             // vulkan.hpp
//   adopted.timeline_semaphores = true;

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/contract/kernel_interface.hpp"

namespace vkmoye {

/// A VkBool32 to set. Where two structures have it, a chain may hold either, but not both.
struct RequiredBit {
  VkStructureType structure;
  std::size_t offset;  // bytes from the start of that structure
  const char* name;    // "VkPhysicalDeviceVulkan12Features::shaderFloat16"
  VkStructureType other_structure =
      VK_STRUCTURE_TYPE_MAX_ENUM;  // or in this one; MAX_ENUM: there is none
  std::size_t other_offset = 0;
  const char* other_name = nullptr;
};

struct DeviceRequirements {
  FeatureSet features;                  // for AdoptedDevice::features
  std::vector<const char*> extensions;  // of the device, each once
  std::vector<RequiredBit> bits;        // each once; timelineSemaphore among them
  /// Not required: to enable where the device lists them. VK_KHR_push_descriptor: see recorder.hpp.
  std::vector<const char*> useful_extensions;
};

/// What `physical_device` can do, before there is a device. `instance` was created for `api_version`.
/// Throws DeviceError.
DeviceCaps caps_of(PFN_vkGetInstanceProcAddr get, VkInstance instance,
                   VkPhysicalDevice physical_device, std::uint32_t api_version);

/// What all of `kernels` need of a device of `caps`, whose instance was created for `api_version`. Throws
/// KernelError with every reason, each with the kernel's name, where it cannot run one of them.
DeviceRequirements required_for(const std::vector<const KernelInterface*>& kernels,
                                const DeviceCaps& caps,
                                std::uint32_t api_version = VK_API_VERSION_1_2);

/// Sets the bits in the structures of your chain, which begins with `features`. Throws ArgumentError naming
/// each bit for which the chain has no structure; then none is set.
void enable(const DeviceRequirements& requirements, VkPhysicalDeviceFeatures2& features);

}  // namespace vkmoye
