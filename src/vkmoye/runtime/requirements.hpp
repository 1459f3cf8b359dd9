// SPDX-License-Identifier: MIT
#pragma once
// The features and extensions that you must enable in vkCreateDevice, in addition to your own, to run kernels of
// vkmoye.
//
//   const DeviceCaps caps = caps_of(vkGetInstanceProcAddr, instance, physical_device, VK_API_VERSION_1_3);
//   const DeviceRequirements needs = required_for({&gemm.interface}, caps, VK_API_VERSION_1_3);
//   extensions.insert(extensions.end(), needs.extensions.begin(), needs.extensions.end());
//   enable(needs, features);                       // your chain, which starts with VkPhysicalDeviceFeatures2
//   .. vkCreateDevice ..
//   adopted.features = needs.features;             // vulkan.hpp
//   adopted.timeline_semaphores = true;

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/contract/kernel_interface.hpp"

namespace vkmoye {

/// A VkBool32 to set. If two structures contain it, a chain may contain one of them, but not both.
struct RequiredBit {
  VkStructureType structure;
  std::size_t offset;  // bytes from the start of that structure
  const char* name;    // "VkPhysicalDeviceVulkan12Features::shaderFloat16"
  /// The other structure that contains the bit; MAX_ENUM: there is none.
  VkStructureType other_structure = VK_STRUCTURE_TYPE_MAX_ENUM;
  std::size_t other_offset = 0;
  const char* other_name = nullptr;
};

/// What to enable in vkCreateDevice.
struct DeviceRequirements {
  FeatureSet features;                  // for AdoptedDevice::features
  std::vector<const char*> extensions;  // device extensions, each once
  std::vector<RequiredBit> bits;        // each once; timelineSemaphore among them
  /// Optional: extensions to enable if the device lists them. VK_KHR_push_descriptor: see recorder.hpp.
  std::vector<const char*> useful_extensions;
};

/// The capabilities of `physical_device`, before a device is created. `instance` was created for `api_version`. Throws
/// DeviceError.
DeviceCaps caps_of(PFN_vkGetInstanceProcAddr get, VkInstance instance,
                   VkPhysicalDevice physical_device, std::uint32_t api_version);

/// The requirements of all `kernels` on the device of `caps`, whose instance was created for `api_version`. Throws
/// KernelError with every reason and the kernel's name if the device cannot run one of them.
DeviceRequirements required_for(const std::vector<const KernelInterface*>& kernels,
                                const DeviceCaps& caps,
                                std::uint32_t api_version = VK_API_VERSION_1_2);

/// Sets the bits in the structures of your chain, which starts with `features`. Throws ArgumentError with the name of
/// each bit for which the chain has no structure; no bit is set then.
void enable(const DeviceRequirements& requirements, VkPhysicalDeviceFeatures2& features);

}  // namespace vkmoye
