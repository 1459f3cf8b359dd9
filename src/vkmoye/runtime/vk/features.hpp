// SPDX-License-Identifier: MIT
#pragma once
// Feature bits of a device, to ask for and to enable, as one chain of Vulkan structures and tables
// that say which bit and which extension each vkmoye::Feature is.

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"

namespace vkmoye::vk {

/// VkPhysicalDeviceShaderBfloat16FeaturesKHR, which headers before 1.4.311 lack.
struct Bfloat16Features {
  static constexpr auto kType = static_cast<VkStructureType>(1000141000);
  static constexpr const char* kExtension = "VK_KHR_shader_bfloat16";
  VkStructureType sType = kType;
  void* pNext = nullptr;
  VkBool32 shaderBFloat16Type = VK_FALSE;
  VkBool32 shaderBFloat16DotProduct = VK_FALSE;
  VkBool32 shaderBFloat16CooperativeMatrix = VK_FALSE;
};

/// A feature bit as Vulkan names it, in one of the structures that contain it.
struct BitHome {
  VkStructureType structure;
  std::size_t offset;
  const char* name;  // "VkPhysicalDeviceVulkan12Features::shaderFloat16"
};

/// A feature bit: the structures that contain it; a chain contains at most one of them.
struct Bit {
  std::array<BitHome, 2> homes;  // the second without a name: there is one
};

/// The bits of `features`, and those that they need besides them, each once.
std::vector<const Bit*> bits_of(const FeatureSet& features);

/// timelineSemaphore.
const Bit& timeline_bit();

/// The bit in `chain`, a chain of structures that begin with sType and pNext; null: none of them contains it.
VkBool32* find_bit(void* chain, const Bit& bit);

/// The structures in which features are reported and enabled. Not copyable: they point at each
/// other.
struct FeatureChain {
  /// `has`: whether the device lists an extension, so that its structure may be part of the chain.
  FeatureChain(std::uint32_t api_version, const std::function<bool(const char*)>& has);
  FeatureChain(const FeatureChain&) = delete;
  FeatureChain& operator=(const FeatureChain&) = delete;

  VkPhysicalDeviceFeatures2 core = {};
  VkPhysicalDeviceVulkan11Features v11 = {};
  VkPhysicalDeviceVulkan12Features v12 = {};
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroup_size = {};
  VkPhysicalDeviceShaderIntegerDotProductFeatures integer_dot = {};
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float = {};
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix = {};
  Bfloat16Features bfloat16;
};

/// Features whose bits are set in `chain`.
FeatureSet features_in(FeatureChain& chain);

/// The subgroup operations among `operations`, as features.
FeatureSet subgroup_features(VkSubgroupFeatureFlags operations);

/// Sets the bits of `features`, and those that they need besides them.
void enable(const FeatureSet& features, FeatureChain& chain);

/// The extensions that bring `features` to a device of this version, each once.
std::vector<const char*> extensions_of(const FeatureSet& features, std::uint32_t api_version);

}  // namespace vkmoye::vk
