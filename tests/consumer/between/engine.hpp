// SPDX-License-Identifier: MIT
#pragma once
// The parts of the engine that do not use vkmoye: an instance, a physical device, an allocator, passes.

#include <vk_mem_alloc.h>
#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace engine {

/// Ends the program if `result` is not VK_SUCCESS.
void check(VkResult result, const char* what);

VkInstance create_instance();
VkPhysicalDevice first_device(VkInstance instance);
/// The first queue family with compute support.
std::uint32_t compute_family(VkPhysicalDevice physical);
/// Creates a device with one queue of `family`.
/// Whether the device lists the extension.
bool has_extension(VkPhysicalDevice physical, const char* name);
VkDevice create_device(VkPhysicalDevice physical, std::uint32_t family,
                       const VkPhysicalDeviceFeatures2& features,
                       const std::vector<const char*>& extensions);

/// One VkBuffer in host-visible memory, from which all arrays are suballocated.
class Arena {
 public:
  Arena(VkInstance instance, VkPhysicalDevice physical, VkDevice device, std::uint64_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;

  /// Allocates `bytes` bytes and returns their offset.
  std::uint64_t allocate(std::uint64_t bytes);
  VkBuffer buffer() const { return buffer_; }
  const float* host(std::uint64_t offset);

 private:
  VmaAllocator allocator_ = nullptr;
  VmaVirtualBlock block_ = nullptr;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VmaAllocation allocation_ = nullptr;
  VmaAllocationInfo info_ = {};
};

struct Range {
  VkBuffer buffer;
  std::uint64_t offset, bytes;
};

/// A compute pass of two storage buffers and three numbers.
class Pass {
 public:
  Pass(VkDevice device, const std::string& spirv_file);
  ~Pass();
  Pass(const Pass&) = delete;
  void record(VkCommandBuffer commands, const std::array<Range, 2>& ranges,
              const std::array<std::uint32_t, 3>& numbers, std::uint32_t threads);

 private:
  VkDevice device_;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
};

/// A command pool with a command buffer that is being recorded.
struct Recording {
  VkCommandPool pool;
  VkCommandBuffer commands;
};
Recording begin(VkDevice device, std::uint32_t family);
/// Ends the command buffer and submits it: it runs after value `wait` of the timeline, if that is above 0, and signals
/// `signal`. Does not wait.
void submit(VkQueue queue, const Recording& recording, VkSemaphore timeline, std::uint64_t wait,
            std::uint64_t signal);

VkSemaphore create_timeline(VkDevice device);
void wait_for(VkDevice device, VkSemaphore timeline, std::uint64_t value);

}  // namespace engine
