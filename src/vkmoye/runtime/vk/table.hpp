// SPDX-License-Identifier: MIT
#pragma once
// The Vulkan functions that the runtime calls, as tables of pointers, one per instance and device.
//
// Tables instead of linked symbols: so a program starts on machines without a Vulkan loader, a user's instance and
// device can be adopted, no global state conflicts with the user's own loader, and tests can replace single functions
// to make them fail.

#include <vulkan/vulkan_core.h>

namespace vkmoye::vk {

#define VKMOYE_GLOBAL_FUNCTIONS(X)        \
  X(EnumerateInstanceVersion)             \
  X(EnumerateInstanceLayerProperties)     \
  X(EnumerateInstanceExtensionProperties) \
  X(CreateInstance)

#define VKMOYE_INSTANCE_FUNCTIONS(X)        \
  X(DestroyInstance)                        \
  X(EnumeratePhysicalDevices)               \
  X(EnumerateDeviceExtensionProperties)     \
  X(GetPhysicalDeviceProperties)            \
  X(GetPhysicalDeviceProperties2)           \
  X(GetPhysicalDeviceFeatures2)             \
  X(GetPhysicalDeviceMemoryProperties)      \
  X(GetPhysicalDeviceQueueFamilyProperties) \
  X(CreateDevice)                           \
  X(GetDeviceProcAddr)

// Null if the extension is not supported.
#define VKMOYE_OPTIONAL_INSTANCE_FUNCTIONS(X) \
  X(CreateDebugUtilsMessengerEXT)             \
  X(DestroyDebugUtilsMessengerEXT)            \
  X(SetDebugUtilsObjectNameEXT)               \
  X(CmdBeginDebugUtilsLabelEXT)               \
  X(CmdEndDebugUtilsLabelEXT)                 \
  X(GetPhysicalDeviceCooperativeMatrixPropertiesKHR)

#define VKMOYE_DEVICE_FUNCTIONS(X) \
  X(DestroyDevice)                 \
  X(GetDeviceQueue)                \
  X(QueueSubmit)                   \
  X(CreateSemaphore)               \
  X(DestroySemaphore)              \
  X(WaitSemaphores)                \
  X(CreateFence)                   \
  X(DestroyFence)                  \
  X(ResetFences)                   \
  X(GetFenceStatus)                \
  X(WaitForFences)                 \
  X(CreateCommandPool)             \
  X(DestroyCommandPool)            \
  X(ResetCommandPool)              \
  X(AllocateCommandBuffers)        \
  X(BeginCommandBuffer)            \
  X(EndCommandBuffer)              \
  X(CreateQueryPool)               \
  X(DestroyQueryPool)              \
  X(GetQueryPoolResults)           \
  X(CreateShaderModule)            \
  X(DestroyShaderModule)           \
  X(CreateDescriptorSetLayout)     \
  X(DestroyDescriptorSetLayout)    \
  X(CreatePipelineLayout)          \
  X(DestroyPipelineLayout)         \
  X(CreatePipelineCache)           \
  X(DestroyPipelineCache)          \
  X(GetPipelineCacheData)          \
  X(CreateComputePipelines)        \
  X(CreateBuffer)                  \
  X(DestroyBuffer)                 \
  X(GetBufferMemoryRequirements)   \
  X(QueueBindSparse)               \
  X(DestroyPipeline)               \
  X(CreateDescriptorPool)          \
  X(DestroyDescriptorPool)         \
  X(AllocateDescriptorSets)        \
  X(ResetDescriptorPool)           \
  X(UpdateDescriptorSets)          \
  X(CmdBindPipeline)               \
  X(CmdBindDescriptorSets)         \
  X(CmdPushConstants)              \
  X(CmdDispatch)                   \
  X(CmdDispatchIndirect)           \
  X(CmdPipelineBarrier)            \
  X(CmdCopyBuffer)                 \
  X(CmdFillBuffer)                 \
  X(CmdResetQueryPool)             \
  X(CmdWriteTimestamp)

// Null if the extension is not enabled.
#define VKMOYE_OPTIONAL_DEVICE_FUNCTIONS(X) \
  X(GetBufferDeviceAddress)                 \
  X(CmdPushDescriptorSetKHR)                \
  X(GetPipelineExecutablePropertiesKHR)     \
  X(GetPipelineExecutableStatisticsKHR)     \
  X(GetPipelineExecutableInternalRepresentationsKHR)

#define VKMOYE_MEMBER(name) PFN_vk##name name = nullptr;

struct GlobalTable {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
  VKMOYE_GLOBAL_FUNCTIONS(VKMOYE_MEMBER)
};

struct InstanceTable {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
  VKMOYE_INSTANCE_FUNCTIONS(VKMOYE_MEMBER)
  VKMOYE_OPTIONAL_INSTANCE_FUNCTIONS(VKMOYE_MEMBER)
};

struct DeviceTable {
  VKMOYE_DEVICE_FUNCTIONS(VKMOYE_MEMBER)
  VKMOYE_OPTIONAL_DEVICE_FUNCTIONS(VKMOYE_MEMBER)
};

#undef VKMOYE_MEMBER

/// Each throws DeviceError naming the first missing function.
GlobalTable load_global_table(PFN_vkGetInstanceProcAddr get);
InstanceTable load_instance_table(PFN_vkGetInstanceProcAddr get, VkInstance instance);
DeviceTable load_device_table(const InstanceTable& instance_table, VkDevice device);

}  // namespace vkmoye::vk
