#pragma once
// Feature bits of a device, to ask for and to enable, as one chain of Vulkan structures and one
// table that says which bit each vkmoye::Feature is.

#include <vulkan/vulkan_core.h>

#include "vkmoye/contract/device_caps.hpp"

namespace vkmoye::vk {

/// The structures in which features are reported and enabled. Not copyable: they point at each
/// other.
struct FeatureChain {
  /// `cooperative_matrix`: whether the device lists VK_KHR_cooperative_matrix, so that its
  /// structure may be part of the chain.
  explicit FeatureChain(bool cooperative_matrix);
  FeatureChain(const FeatureChain&) = delete;
  FeatureChain& operator=(const FeatureChain&) = delete;

  VkPhysicalDeviceFeatures2 core = {};
  VkPhysicalDeviceVulkan11Features v11 = {};
  VkPhysicalDeviceVulkan12Features v12 = {};
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix = {};
};

/// Features whose bit is set in `chain`.
FeatureSet features_in(FeatureChain& chain);

/// Sets the bits of `features`, and those that they need beside them.
void enable(const FeatureSet& features, FeatureChain& chain);

}  // namespace vkmoye::vk
