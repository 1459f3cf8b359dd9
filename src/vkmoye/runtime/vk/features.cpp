#include "vkmoye/runtime/vk/features.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace vkmoye::vk {
namespace {

using Bit = VkBool32& (*)(FeatureChain&);

struct Row {
  Feature feature;
  Bit bit;
  std::array<Bit, 2> with = {};  // others, without which it is no use
};

// The bit, not the name of an extension: drivers list VK_KHR_cooperative_matrix with the bit off.
constexpr Row kRows[] = {
    {Feature::f16, [](FeatureChain& c) -> VkBool32& { return c.v12.shaderFloat16; }},
    {Feature::f64, [](FeatureChain& c) -> VkBool32& { return c.core.features.shaderFloat64; }},
    {Feature::i8, [](FeatureChain& c) -> VkBool32& { return c.v12.shaderInt8; }},
    {Feature::i16, [](FeatureChain& c) -> VkBool32& { return c.core.features.shaderInt16; }},
    {Feature::i64, [](FeatureChain& c) -> VkBool32& { return c.core.features.shaderInt64; }},
    {Feature::storage8, [](FeatureChain& c) -> VkBool32& { return c.v12.storageBuffer8BitAccess; }},
    {Feature::storage16,
     [](FeatureChain& c) -> VkBool32& { return c.v11.storageBuffer16BitAccess; }},
    // A shader with cooperative matrices declares the Vulkan memory model. Where that is enabled,
    // atomic operations on buffers, which are of device scope, need the scope to be enabled, too.
    {Feature::cooperative_matrix,
     [](FeatureChain& c) -> VkBool32& { return c.matrix.cooperativeMatrix; },
     {[](FeatureChain& c) -> VkBool32& { return c.v12.vulkanMemoryModel; },
      [](FeatureChain& c) -> VkBool32& { return c.v12.vulkanMemoryModelDeviceScope; }}},
    {Feature::bf16_matrix,
     [](FeatureChain& c) -> VkBool32& { return c.bfloat16.shaderBFloat16CooperativeMatrix; },
     {[](FeatureChain& c) -> VkBool32& { return c.bfloat16.shaderBFloat16Type; }}},
    {Feature::shared_f32_atomic_add,
     [](FeatureChain& c) -> VkBool32& { return c.atomic_float.shaderSharedFloat32AtomicAdd; }},
    {Feature::buffer_f32_atomic_add,
     [](FeatureChain& c) -> VkBool32& { return c.atomic_float.shaderBufferFloat32AtomicAdd; }},
    {Feature::subgroup_size_control,
     [](FeatureChain& c) -> VkBool32& { return c.subgroup_size.subgroupSizeControl; },
     {[](FeatureChain& c) -> VkBool32& { return c.subgroup_size.computeFullSubgroups; }}},
    {Feature::buffer_address,
     [](FeatureChain& c) -> VkBool32& { return c.v12.bufferDeviceAddress; }},
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
};

}  // namespace

FeatureChain::FeatureChain(std::uint32_t api_version, const std::function<bool(const char*)>& has) {
  core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  subgroup_size.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES;
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
  append(atomic_float, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
  append(matrix, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
  append(bfloat16, Bfloat16Features::kExtension);
}

FeatureSet features_in(FeatureChain& chain) {
  FeatureSet features;
  for (const Row& row : kRows) {
    const bool is_complete = std::all_of(row.with.begin(), row.with.end(), [&](Bit bit) {
      return bit == nullptr || bit(chain) != VK_FALSE;
    });
    if (row.bit(chain) != VK_FALSE && is_complete) features.add(row.feature);
  }
  return features;
}

FeatureSet subgroup_features(VkSubgroupFeatureFlags operations) {
  FeatureSet features;
  for (const Operation& row : kOperations) {
    if ((operations & row.bit) != 0) features.add(row.feature);
  }
  return features;
}

void enable(const FeatureSet& features, FeatureChain& chain) {
  for (const Row& row : kRows) {
    if (!features.has(row.feature)) continue;
    row.bit(chain) = VK_TRUE;
    for (const Bit bit : row.with) {
      if (bit != nullptr) bit(chain) = VK_TRUE;
    }
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
