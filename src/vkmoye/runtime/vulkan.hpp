// SPDX-License-Identifier: MIT
#pragma once
// For programs that use Vulkan themselves: adopt their device, record into their command buffers
// (recorder.hpp, plan_recorder.hpp), submit between their semaphores. This header, those and requirements.hpp
// are the only public ones of the runtime that include Vulkan's. README.md beside it is a tutorial.

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

namespace vkmoye {

/// These objects stay yours: none of them is destroyed here. They must outlive the Device and all
/// that was made from it. The instance and device need Vulkan 1.2.
///
/// Ownership. The Device submits to `queue` alone, from whichever thread calls it; what it allocates is
/// exclusive to `queue_family`. Buffers of yours that kernels use belong to that family when they run, or
/// are shared (VK_SHARING_MODE_CONCURRENT): where another family wrote them or reads them next, the release
/// and the acquire are yours to record. What is only recorded (recorder.hpp, `record`) touches no queue:
/// it runs on any that computes, under the same rule.
struct AdoptedDevice {
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;  // computes
  std::uint32_t queue_family = 0;
  std::uint32_t api_version = VK_API_VERSION_1_2;  // that the instance was created for
  /// What you enabled when you created the device; it cannot be asked for: DeviceRequirements::features
  /// (requirements.hpp), or a list of yours. A feature stands for its extension and its bit;
  /// cooperative_matrix for vulkanMemoryModel and vulkanMemoryModelDeviceScope, too, and
  /// subgroup_size_control for computeFullSubgroups. Each buffer lies in one allocation: sparseBinding
  /// is not relied on.
  FeatureSet features;
  bool timeline_semaphores = false;  // the feature is enabled: what `point_of` and SubmitOrder need
  bool push_descriptors = false;     // VK_KHR_push_descriptor is enabled
  /// Called before and after each use of the queue, since Vulkan allows one thread at a time: give both if
  /// other threads of yours use the queue, or neither. They must not throw.
  std::function<void()> lock_queue, unlock_queue;
  /// Kernels that will be loaded: a device that cannot run one of them is refused at once, with
  /// what is missing by name.
  std::vector<const KernelInterface*> kernels = {};
};

/// Device::open through functions of yours rather than the system's loader.
Device open_through(PFN_vkGetInstanceProcAddr get, std::string_view selector = {},
                    const OpenOptions& options = {});

/// `bytes` bytes from `offset` on of a buffer of yours, suballocated or not, as a kernel's argument. The
/// buffer is of the adopted VkDevice, has memory, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, and
/// VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT for a binding with Reach::pointer. Checked where it is used:
/// the offset's alignment (DeviceCaps::storage_buffer_alignment), and that the range is long enough and
/// within the memory that the buffer needs. Whether two buffers share memory is not checked.
inline BufferView view_of(VkBuffer buffer, std::uint64_t offset, std::uint64_t bytes) {
  return BufferView::of_handle(std::bit_cast<std::uint64_t>(buffer), offset, bytes);
}

/// Records the launch: no submit, no allocation. Who waits for whom: see recorder.hpp. Binds a compute
/// pipeline, its set 0 and push constants. The launch must live until the device is done.
void record(VkCommandBuffer commands, const Launch& launch);

/// Records the launches, each after what those before it wrote is visible to it.
void record(VkCommandBuffer commands, std::span<const Launch> launches,
            const Neighbours& neighbours = {});

/// A timeline semaphore, yours or ours, and a value of it.
struct TimelinePoint {
  VkSemaphore semaphore;
  std::uint64_t value;
};

/// What a submission waits for before it starts, and what it signals when it has finished. It sees everything that
/// was written before the points it waits for; whoever waits for the signal sees its writes.
struct SubmitOrder {
  std::vector<TimelinePoint> wait = {}, signal = {};
};

/// Device::submit of launches one after the other, each after what those before it wrote is visible to
/// it. Throws ArgumentError where the device was adopted without timeline semaphores and `order` names
/// one, where a semaphore is null, and for a launch of another Device; DeviceError.
Pending submit(Device& device, std::span<const Launch> launches, const SubmitOrder& order = {});

/// The point of the Device's own timeline that is reached when `pending` has finished: to be waited for by
/// a submission of yours, or by vkWaitSemaphores. The semaphore belongs to the Device. Throws ArgumentError
/// where the device was adopted without timeline semaphores.
TimelinePoint point_of(const Pending& pending);

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
