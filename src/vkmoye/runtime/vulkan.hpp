#pragma once
// For programs that use Vulkan themselves: adopt their device, record into their command buffers.
// The only public header of the runtime that includes Vulkan's.

#include <vulkan/vulkan_core.h>

#include <functional>
#include <string_view>

#include "vkmoye/runtime/device.hpp"
#include "vkmoye/runtime/timing.hpp"

namespace vkmoye {

/// These objects stay yours: none of them is destroyed here. They must outlive the Device and all
/// that was made from it. The instance and device need Vulkan 1.2.
struct AdoptedDevice {
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;  // computes
  std::uint32_t queue_family = 0;
  std::uint32_t api_version = VK_API_VERSION_1_2;  // that the instance was created for
  /// What you enabled when you created the device; it cannot be asked for. A feature
  /// stands for its extension and its bit; cooperative_matrix for vulkanMemoryModel and vulkanMemoryModelDeviceScope, too, and
  /// subgroup_size_control for computeFullSubgroups. Each buffer lies in one allocation: sparseBinding
  /// is not relied on.
  FeatureSet features;
  /// Called around each use of the queue, if you use it from other threads. Both or none; they
  /// must not throw.
  std::function<void()> lock_queue, unlock_queue;
};

/// Device::open through functions of yours rather than the system's loader.
Device open_through(PFN_vkGetInstanceProcAddr get, std::string_view selector = {},
                    const OpenOptions& options = {});

/// Records the launch: no submit, no allocation. On entry, what it reads and writes must be
/// available to VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT with shader read and write access; on exit its
/// writes are shader writes of that stage, no barrier after them. Binds a compute pipeline, its
/// set 0 and push constants. The launch must live until the device is done.
void record(VkCommandBuffer commands, const Launch& launch);

/// `measure` (timing.hpp) for whatever `work` records; it is called once per repetition.
Timing measure(Device& device, const std::function<void(VkCommandBuffer)>& work,
               const TimeOptions& options = {});

/// The handles behind ours, for use beside them. They belong to the Device and the Buffer.
struct DeviceHandles {
  PFN_vkGetInstanceProcAddr get_instance_proc_addr;
  VkInstance instance;
  VkPhysicalDevice physical_device;
  VkDevice device;
  VkQueue queue;
  std::uint32_t queue_family;
};
DeviceHandles handles_of(const Device& device);
VkBuffer handle_of(const Buffer& buffer);

}  // namespace vkmoye
