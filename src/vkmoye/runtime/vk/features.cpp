#include "vkmoye/runtime/vk/features.hpp"

#include <array>

namespace vkmoye::vk {
namespace {

struct Row {
  Feature feature;
  VkBool32& (*bit)(FeatureChain&);
};

// The bit, not the name of an extension: drivers list VK_KHR_cooperative_matrix with the bit off.
constexpr std::array<Row, 8> kRows = {{
    {Feature::f16, [](FeatureChain& c) -> VkBool32& { return c.v12.shaderFloat16; }},
    {Feature::f64, [](FeatureChain& c) -> VkBool32& { return c.core.features.shaderFloat64; }},
    {Feature::i8, [](FeatureChain& c) -> VkBool32& { return c.v12.shaderInt8; }},
    {Feature::i16, [](FeatureChain& c) -> VkBool32& { return c.core.features.shaderInt16; }},
    {Feature::i64, [](FeatureChain& c) -> VkBool32& { return c.core.features.shaderInt64; }},
    {Feature::storage8, [](FeatureChain& c) -> VkBool32& { return c.v12.storageBuffer8BitAccess; }},
    {Feature::storage16,
     [](FeatureChain& c) -> VkBool32& { return c.v11.storageBuffer16BitAccess; }},
    {Feature::cooperative_matrix,
     [](FeatureChain& c) -> VkBool32& { return c.matrix.cooperativeMatrix; }},
}};

}  // namespace

FeatureChain::FeatureChain(bool cooperative_matrix) {
  core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  matrix.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR;
  core.pNext = &v11;
  v11.pNext = &v12;
  if (cooperative_matrix) v12.pNext = &matrix;
}

FeatureSet features_in(FeatureChain& chain) {
  FeatureSet features;
  for (const Row& row : kRows) {
    // A shader with cooperative matrices declares the Vulkan memory model.
    if (row.feature == Feature::cooperative_matrix && !chain.v12.vulkanMemoryModel) continue;
    if (row.bit(chain)) features.add(row.feature);
  }
  return features;
}

void enable(const FeatureSet& features, FeatureChain& chain) {
  for (const Row& row : kRows) {
    if (features.has(row.feature)) row.bit(chain) = VK_TRUE;
  }
  if (features.has(Feature::cooperative_matrix)) chain.v12.vulkanMemoryModel = VK_TRUE;
}

}  // namespace vkmoye::vk
