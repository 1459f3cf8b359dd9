// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/vk/features.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace vkmoye::vk {
namespace {

// The bit `member` of a structure, by the names that Vulkan gives them.
#define VKMOYE_BIT(type, structure, member)                                                        \
  BitHome {                                                                                        \
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type, offsetof(structure, member), #structure "::" #member \
  }
#define VKMOYE_CORE_BIT(member)                         \
  BitHome {                                             \
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,       \
        offsetof(VkPhysicalDeviceFeatures2, features) + \
            offsetof(VkPhysicalDeviceFeatures, member), \
        "VkPhysicalDeviceFeatures::" #member            \
  }

constexpr BitHome kNone = {};

constexpr Bit kF16 = {
    {VKMOYE_BIT(VULKAN_1_2_FEATURES, VkPhysicalDeviceVulkan12Features, shaderFloat16),
     VKMOYE_BIT(SHADER_FLOAT16_INT8_FEATURES, VkPhysicalDeviceShaderFloat16Int8Features,
                shaderFloat16)}};
constexpr Bit kF64 = {{VKMOYE_CORE_BIT(shaderFloat64), kNone}};
constexpr Bit kI8 = {{VKMOYE_BIT(VULKAN_1_2_FEATURES, VkPhysicalDeviceVulkan12Features, shaderInt8),
                      VKMOYE_BIT(SHADER_FLOAT16_INT8_FEATURES,
                                 VkPhysicalDeviceShaderFloat16Int8Features, shaderInt8)}};
constexpr Bit kI16 = {{VKMOYE_CORE_BIT(shaderInt16), kNone}};
constexpr Bit kI64 = {{VKMOYE_CORE_BIT(shaderInt64), kNone}};
constexpr Bit kStorage8 = {
    {VKMOYE_BIT(VULKAN_1_2_FEATURES, VkPhysicalDeviceVulkan12Features, storageBuffer8BitAccess),
     VKMOYE_BIT(8BIT_STORAGE_FEATURES, VkPhysicalDevice8BitStorageFeatures,
                storageBuffer8BitAccess)}};
constexpr Bit kStorage16 = {
    {VKMOYE_BIT(VULKAN_1_1_FEATURES, VkPhysicalDeviceVulkan11Features, storageBuffer16BitAccess),
     VKMOYE_BIT(16BIT_STORAGE_FEATURES, VkPhysicalDevice16BitStorageFeatures,
                storageBuffer16BitAccess)}};
constexpr Bit kMatrix = {
    {VKMOYE_BIT(COOPERATIVE_MATRIX_FEATURES_KHR, VkPhysicalDeviceCooperativeMatrixFeaturesKHR,
                cooperativeMatrix),
     kNone}};
constexpr Bit kMemoryModel = {
    {VKMOYE_BIT(VULKAN_1_2_FEATURES, VkPhysicalDeviceVulkan12Features, vulkanMemoryModel),
     VKMOYE_BIT(VULKAN_MEMORY_MODEL_FEATURES, VkPhysicalDeviceVulkanMemoryModelFeatures,
                vulkanMemoryModel)}};
constexpr Bit kDeviceScope = {
    {VKMOYE_BIT(VULKAN_1_2_FEATURES, VkPhysicalDeviceVulkan12Features,
                vulkanMemoryModelDeviceScope),
     VKMOYE_BIT(VULKAN_MEMORY_MODEL_FEATURES, VkPhysicalDeviceVulkanMemoryModelFeatures,
                vulkanMemoryModelDeviceScope)}};
constexpr Bit kBrainMatrix = {
    {BitHome{Bfloat16Features::kType, offsetof(Bfloat16Features, shaderBFloat16CooperativeMatrix),
             "VkPhysicalDeviceShaderBfloat16FeaturesKHR::"
             "shaderBFloat16CooperativeMatrix"},
     kNone}};
constexpr Bit kBrainType = {
    {BitHome{Bfloat16Features::kType, offsetof(Bfloat16Features, shaderBFloat16Type),
             "VkPhysicalDeviceShaderBfloat16FeaturesKHR::shaderBFloat16Type"},
     kNone}};
constexpr Bit kSharedAdd = {
    {VKMOYE_BIT(SHADER_ATOMIC_FLOAT_FEATURES_EXT, VkPhysicalDeviceShaderAtomicFloatFeaturesEXT,
                shaderSharedFloat32AtomicAdd),
     kNone}};
constexpr Bit kBufferAdd = {
    {VKMOYE_BIT(SHADER_ATOMIC_FLOAT_FEATURES_EXT, VkPhysicalDeviceShaderAtomicFloatFeaturesEXT,
                shaderBufferFloat32AtomicAdd),
     kNone}};
constexpr Bit kSubgroupSize = {
    {VKMOYE_BIT(SUBGROUP_SIZE_CONTROL_FEATURES, VkPhysicalDeviceSubgroupSizeControlFeatures,
                subgroupSizeControl),
     VKMOYE_BIT(VULKAN_1_3_FEATURES, VkPhysicalDeviceVulkan13Features, subgroupSizeControl)}};
constexpr Bit kFullSubgroups = {
    {VKMOYE_BIT(SUBGROUP_SIZE_CONTROL_FEATURES, VkPhysicalDeviceSubgroupSizeControlFeatures,
                computeFullSubgroups),
     VKMOYE_BIT(VULKAN_1_3_FEATURES, VkPhysicalDeviceVulkan13Features, computeFullSubgroups)}};
constexpr Bit kAddress = {
    {VKMOYE_BIT(VULKAN_1_2_FEATURES, VkPhysicalDeviceVulkan12Features, bufferDeviceAddress),
     VKMOYE_BIT(BUFFER_DEVICE_ADDRESS_FEATURES, VkPhysicalDeviceBufferDeviceAddressFeatures,
                bufferDeviceAddress)}};
constexpr Bit kIntegerDot = {
    {VKMOYE_BIT(SHADER_INTEGER_DOT_PRODUCT_FEATURES,
                VkPhysicalDeviceShaderIntegerDotProductFeatures, shaderIntegerDotProduct),
     VKMOYE_BIT(VULKAN_1_3_FEATURES, VkPhysicalDeviceVulkan13Features, shaderIntegerDotProduct)}};
constexpr Bit kTimeline = {
    {VKMOYE_BIT(VULKAN_1_2_FEATURES, VkPhysicalDeviceVulkan12Features, timelineSemaphore),
     VKMOYE_BIT(TIMELINE_SEMAPHORE_FEATURES, VkPhysicalDeviceTimelineSemaphoreFeatures,
                timelineSemaphore)}};

#undef VKMOYE_BIT
#undef VKMOYE_CORE_BIT

struct Row {
  Feature feature;
  // All of them must be set. The second and third, which the first requires, may be null.
  std::array<const Bit*, 3> bits;
};

// The bit decides, not the extension: some drivers list VK_KHR_cooperative_matrix but do not set the bit.
constexpr Row kRows[] = {
    {Feature::f16, {&kF16}},
    {Feature::f64, {&kF64}},
    {Feature::i8, {&kI8}},
    {Feature::i16, {&kI16}},
    {Feature::i64, {&kI64}},
    {Feature::storage8, {&kStorage8}},
    {Feature::storage16, {&kStorage16}},
    // A shader with cooperative matrices declares the Vulkan memory model. With that model, atomic operations on
    // buffers, which have device scope, require vulkanMemoryModelDeviceScope.
    {Feature::cooperative_matrix, {&kMatrix, &kMemoryModel, &kDeviceScope}},
    {Feature::bf16_matrix, {&kBrainMatrix, &kBrainType}},
    {Feature::shared_f32_atomic_add, {&kSharedAdd}},
    {Feature::buffer_f32_atomic_add, {&kBufferAdd}},
    {Feature::subgroup_size_control, {&kSubgroupSize, &kFullSubgroups}},
    {Feature::buffer_address, {&kAddress}},
    {Feature::integer_dot, {&kIntegerDot}},
    {Feature::grid_barrier, {&kMemoryModel, &kDeviceScope}},
};

struct Operation {
  Feature feature;
  VkSubgroupFeatureFlagBits bit;
};

constexpr Operation kOperations[] = {
    {Feature::subgroup_basic, VK_SUBGROUP_FEATURE_BASIC_BIT},
    {Feature::subgroup_arithmetic, VK_SUBGROUP_FEATURE_ARITHMETIC_BIT},
    {Feature::subgroup_ballot, VK_SUBGROUP_FEATURE_BALLOT_BIT},
    {Feature::subgroup_shuffle, VK_SUBGROUP_FEATURE_SHUFFLE_BIT},
};

struct Extension {
  Feature feature;
  const char* name;
  std::uint32_t core_since = UINT32_MAX;  // the version of Vulkan that has it without the extension
};

constexpr Extension kExtensions[] = {
    {Feature::cooperative_matrix, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME},
    {Feature::bf16_matrix, Bfloat16Features::kExtension},
    {Feature::shared_f32_atomic_add, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME},
    {Feature::buffer_f32_atomic_add, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME},
    {Feature::subgroup_size_control, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME,
     VK_API_VERSION_1_3},
    {Feature::integer_dot, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME, VK_API_VERSION_1_3},
};

}  // namespace

FeatureChain::FeatureChain(std::uint32_t api_version, const std::function<bool(const char*)>& has) {
  core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  subgroup_size.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES;
  integer_dot.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES;
  atomic_float.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT;
  matrix.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR;
  core.pNext = &v11;
  v11.pNext = &v12;
  void** tail = &v12.pNext;
  const auto append = [&](auto& structure, const char* extension,
                          std::uint32_t core_since = UINT32_MAX) {
    if (api_version < core_since && !has(extension)) return;
    *tail = &structure;
    tail = &structure.pNext;
  };
  append(subgroup_size, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME, VK_API_VERSION_1_3);
  append(integer_dot, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME, VK_API_VERSION_1_3);
  append(atomic_float, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
  append(matrix, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
  append(bfloat16, Bfloat16Features::kExtension);
}

FeatureSet features_in(FeatureChain& chain) {
  FeatureSet features;
  for (const Row& row : kRows) {
    const bool is_complete = std::all_of(row.bits.begin(), row.bits.end(), [&](const Bit* bit) {
      if (bit == nullptr) return true;
      const VkBool32* value = find_bit(&chain.core, *bit);
      return value != nullptr && *value != VK_FALSE;
    });
    if (is_complete) features.add(row.feature);
  }
  return features;
}

std::vector<const Bit*> bits_of(const FeatureSet& features) {
  std::vector<const Bit*> bits;
  for (const Row& row : kRows) {
    if (!features.has(row.feature)) continue;
    for (const Bit* bit : row.bits) {
      if (bit != nullptr && std::find(bits.begin(), bits.end(), bit) == bits.end()) {
        bits.push_back(bit);
      }
    }
  }
  return bits;
}

const Bit& timeline_bit() { return kTimeline; }

VkBool32* find_bit(void* chain, const Bit& bit) {
  for (auto* at = static_cast<VkBaseOutStructure*>(chain); at != nullptr; at = at->pNext) {
    for (const BitHome& home : bit.homes) {
      if (home.name == nullptr || at->sType != home.structure) continue;
      return reinterpret_cast<VkBool32*>(reinterpret_cast<std::byte*>(at) + home.offset);
    }
  }
  return nullptr;
}

FeatureSet subgroup_features(VkSubgroupFeatureFlags operations) {
  FeatureSet features;
  for (const Operation& row : kOperations) {
    if ((operations & row.bit) != 0) features.add(row.feature);
  }
  return features;
}

void enable(const FeatureSet& features, FeatureChain& chain) {
  for (const Bit* bit : bits_of(features)) {
    if (VkBool32* value = find_bit(&chain.core, *bit)) *value = VK_TRUE;
  }
}

std::vector<const char*> extensions_of(const FeatureSet& features, std::uint32_t api_version) {
  std::vector<const char*> names;
  for (const Extension& row : kExtensions) {
    const bool is_there = std::any_of(names.begin(), names.end(),
                                      [&](std::string_view name) { return name == row.name; });
    if (features.has(row.feature) && api_version < row.core_since && !is_there) {
      names.push_back(row.name);
    }
  }
  return names;
}

}  // namespace vkmoye::vk
