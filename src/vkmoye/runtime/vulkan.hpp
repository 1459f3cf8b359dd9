// SPDX-License-Identifier: MIT
#pragma once
// For programs that use Vulkan themselves: vkmoye adopts their device, records into their command buffers
// (recorder.hpp, plan_recorder.hpp), and submits with their semaphores. These headers and requirements.hpp are the only
// public headers of the runtime that include Vulkan's. README.md in this folder is a tutorial.

#include <vulkan/vulkan_core.h>

#include <bit>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "vkmoye/runtime/device.hpp"
#include "vkmoye/runtime/plan_recorder.hpp"
#include "vkmoye/runtime/recorder.hpp"
#include "vkmoye/runtime/requirements.hpp"
#include "vkmoye/runtime/timing.hpp"
#include "vkmoye/runtime/values/submit_order.hpp"

namespace vkmoye {

/// You keep these objects: vkmoye destroys none of them. They must outlive the Device and everything that was made from
/// it. The instance and the device must have Vulkan 1.2.
///
/// Ownership. The Device submits only to `queue`, from the calling thread; its buffers are exclusive to `queue_family`.
/// While a kernel runs, your own buffers that it uses must be owned by that family or be shared
/// (VK_SHARING_MODE_CONCURRENT): if another family wrote them before or reads them afterwards, you record the release
/// and acquire operations. Commands that are only recorded (recorder.hpp, `record`) can be submitted to any queue with
/// compute support; the same rule applies to its family.
struct AdoptedDevice {
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;  // with compute support
  std::uint32_t queue_family = 0;
  std::uint32_t api_version = VK_API_VERSION_1_2;  // for which the instance was created
  /// The features that you enabled when you created the device, which Vulkan cannot report:
  /// DeviceRequirements::features (requirements.hpp), or your own list. Each means its extension and its bit;
  /// cooperative_matrix also means vulkanMemoryModel and vulkanMemoryModelDeviceScope, and subgroup_size_control also
  /// means computeFullSubgroups. Each buffer is one allocation: sparseBinding is not used.
  FeatureSet features;
  bool timeline_semaphores = false;  // the feature is enabled; `point_of` and SubmitOrder need it
  bool push_descriptors = false;     // VK_KHR_push_descriptor is enabled
  /// VK_EXT_debug_utils is enabled on the instance: pipelines, buffers of vkmoye and the kernels of recordings then
  /// have names.
  bool debug_utils = false;
  /// Called before and after each use of the queue, which Vulkan allows to one thread at a time: set both if your other
  /// threads use the queue, else neither. They must not throw.
  std::function<void()> lock_queue, unlock_queue;
  /// Kernels that will be loaded: adopting a device that cannot run one of them throws at once, and names what is
  /// missing.
  std::vector<const KernelInterface*> kernels = {};
  /// Your own cache: pipelines are created with it, and vkmoye neither reads nor writes a file. Null: see
  /// OpenOptions::cache. If it was created with VK_PIPELINE_CACHE_CREATE_EXTERNALLY_SYNCHRONIZED_BIT, do not use it in
  /// another thread while this Device loads a kernel.
  VkPipelineCache pipeline_cache = VK_NULL_HANDLE;
};

/// Device::open with your own functions in place of the system's loader.
Device open_through(PFN_vkGetInstanceProcAddr get, std::string_view selector = {},
                    const OpenOptions& options = {});

/// `bytes` bytes of your own buffer, starting at `offset`, as a kernel's argument. The buffer must belong to the
/// adopted VkDevice, be bound to memory, and have VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, and also
/// VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT for a binding with Addressing::pointer. When it is used, the alignment
/// of the offset (DeviceCaps::storage_buffer_alignment) and the length of the range are checked, and that the range
/// is within the buffer. Whether two buffers share memory is not checked.
inline BufferView view_of(VkBuffer buffer, std::uint64_t offset, std::uint64_t bytes) {
  return BufferView::of_handle(std::bit_cast<std::uint64_t>(buffer), offset, bytes);
}

/// Records the launch, without submitting or allocating. See recorder.hpp for the barriers that it needs. Binds a
/// compute pipeline, its set 0 and push constants. The launch must live until the device has finished it.
void record(VkCommandBuffer commands, const Launch& launch);

/// Records the launches in order, each after the writes of the earlier ones are visible to it.
void record(VkCommandBuffer commands, std::span<const Launch> launches,
            const Neighbours& neighbours = {});

/// Device::submit for several launches that run in order, each after the writes of the earlier ones are visible to it.
/// Throws ArgumentError if `order` has a semaphore although the device was adopted without timeline semaphores, if a
/// semaphore is null, or if a launch belongs to another Device; DeviceError.
Pending submit(Device& device, std::span<const Launch> launches, const SubmitOrder& order = {});

/// The point of the Device's own timeline that is reached when `pending` has finished. Your own submission or
/// vkWaitSemaphores can wait for it. The semaphore belongs to the Device. Throws ArgumentError if the device was
/// adopted without timeline semaphores.
TimelinePoint point_of(const Pending& pending);

/// `measure` (timing.hpp) for the commands that `work` records; it is called once per repetition.
Timing measure(Device& device, const std::function<void(VkCommandBuffer)>& work,
               const TimeOptions& options = {});

/// The Vulkan handles of a Device and a Buffer, which still belong to them.
struct DeviceHandles {
  PFN_vkGetInstanceProcAddr get_instance_proc_addr;
  VkInstance instance;
  VkPhysicalDevice physical_device;
  VkDevice device;
  VkQueue queue;
  std::uint32_t queue_family;
};
/// The handles of `device` or `buffer`, which stay theirs.
DeviceHandles handles_of(const Device& device);
VkBuffer handle_of(const Buffer& buffer);

}  // namespace vkmoye
