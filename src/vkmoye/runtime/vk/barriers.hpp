#pragma once
// The two memory dependencies that the runtime records; device-wide, since it knows no finer ones.

#include "vkmoye/runtime/vk/table.hpp"

namespace vkmoye::vk {

inline void barrier(const DeviceTable& vk, VkCommandBuffer commands, VkPipelineStageFlags to_stages,
                    VkAccessFlags to_access) {
  VkMemoryBarrier memory = {};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  memory.dstAccessMask = to_access;
  vk.CmdPipelineBarrier(commands,
                        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                        to_stages, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

/// Dispatches and copies after this see what those before it wrote.
inline void order_device_work(const DeviceTable& vk, VkCommandBuffer commands) {
  barrier(vk, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
          VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |
              VK_ACCESS_TRANSFER_WRITE_BIT);
}

/// The host sees what dispatches and copies before this wrote, once it has waited for the fence.
inline void publish_to_host(const DeviceTable& vk, VkCommandBuffer commands) {
  barrier(vk, commands, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

}  // namespace vkmoye::vk
