// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/vk/logical_device.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "vkmoye/runtime/vk/check.hpp"
#include "vkmoye/runtime/vk/features.hpp"

namespace vkmoye::vk {
namespace {

using StatisticsFeature = VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR;

bool offers_statistics(const Instance& instance, const PhysicalDevice& physical) {
  if (!physical.has_extension(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME)) return false;
  StatisticsFeature feature = {};
  feature.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR;
  VkPhysicalDeviceFeatures2 features = {};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &feature;
  instance.table().GetPhysicalDeviceFeatures2(physical.handle, &features);
  return feature.pipelineExecutableInfo == VK_TRUE;
}

}  // namespace

LogicalDevice::LogicalDevice(const Instance& instance, const PhysicalDevice& physical,
                             bool statistics)
    : owned_(true),
      memory_budget_(physical.has_extension(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME)),
      statistics_(statistics && offers_statistics(instance, physical)),
      push_descriptors_(physical.max_push_descriptors),
      timelines_(physical.has_timelines) {
  std::vector<const char*> extensions = extensions_of(physical.caps.features, physical.api_version);
  FeatureChain features(physical.api_version, [&](std::string_view name) {
    return std::find(extensions.begin(), extensions.end(), name) != extensions.end();
  });
  enable(physical.caps.features, features);
  features.core.features.sparseBinding = physical.caps.max_sparse_buffer_bytes > 0;
  features.v12.timelineSemaphore = timelines_ ? VK_TRUE : VK_FALSE;
  if (push_descriptors_ > 0) extensions.push_back(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
  if (memory_budget_) extensions.push_back(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  StatisticsFeature statistics_feature = {};
  statistics_feature.sType =
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR;
  statistics_feature.pNext = &features.core;
  statistics_feature.pipelineExecutableInfo = VK_TRUE;
  if (statistics_) extensions.push_back(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);

  const float priority = 1;
  VkDeviceQueueCreateInfo queue = {};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = physical.queue_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = statistics_ ? static_cast<const void*>(&statistics_feature) : &features.core;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  check(instance.table().CreateDevice(physical.handle, &info, nullptr, &handle_), "vkCreateDevice");
  try {
    table_ = load_device_table(instance.table(), handle_);
  } catch (...) {
    const auto destroy = reinterpret_cast<PFN_vkDestroyDevice>(
        instance.table().GetDeviceProcAddr(handle_, "vkDestroyDevice"));
    if (destroy != nullptr) destroy(handle_, nullptr);
    throw;
  }
  table_.GetDeviceQueue(handle_, physical.queue_family, 0, &queue_);
}

LogicalDevice::LogicalDevice(const Instance& instance, VkDevice device, VkQueue queue,
                             std::uint32_t push_descriptors, bool timelines)
    : handle_(device),
      queue_(queue),
      push_descriptors_(push_descriptors),
      timelines_(timelines),
      table_(load_device_table(instance.table(), device)) {}

LogicalDevice::~LogicalDevice() {
  if (owned_) table_.DestroyDevice(handle_, nullptr);
}

}  // namespace vkmoye::vk
