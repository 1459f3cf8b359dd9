// SPDX-License-Identifier: MIT
#pragma once
// The parts of the engine that do not use vkmoye, beside its device (own_device/gpu.hpp): passes and a timeline.

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <string>

namespace engine {

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

/// Submits commands that have ended: they run after value `wait` of the timeline, if that is above 0, and signal
/// `signal`. Does not wait.
void submit(VkQueue queue, VkCommandBuffer commands, VkSemaphore timeline, std::uint64_t wait,
            std::uint64_t signal);

VkSemaphore create_timeline(VkDevice device);
void wait_for(VkDevice device, VkSemaphore timeline, std::uint64_t value);

}  // namespace engine
