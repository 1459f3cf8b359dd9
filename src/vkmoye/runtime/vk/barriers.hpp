// SPDX-License-Identifier: MIT
#pragma once
// The memory dependencies that the runtime records, for all memory.

#include "vkmoye/runtime/values/sync_scope.hpp"
#include "vkmoye/runtime/vk/table.hpp"

namespace vkmoye::vk {

/// `to` runs after `from` and sees its writes. No barrier if one of them has no stages.
inline void order(const DeviceTable& vk, VkCommandBuffer commands, const SyncScope& from,
                  const SyncScope& to) {
  if (from.stages == 0 || to.stages == 0) return;
  VkMemoryBarrier memory = {};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = from.access;
  memory.dstAccessMask = to.access;
  vk.CmdPipelineBarrier(commands, from.stages, to.stages, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

/// The scope of dispatches and copies.
inline constexpr SyncScope kDeviceWork = {
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
    VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |
        VK_ACCESS_TRANSFER_WRITE_BIT};
inline constexpr SyncScope kDeviceWrites = {
    kDeviceWork.stages, VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};

/// Later dispatches and copies see the writes of earlier ones.
inline void order_device_work(const DeviceTable& vk, VkCommandBuffer commands) {
  order(vk, commands, kDeviceWrites, kDeviceWork);
}

/// The host sees the writes of earlier dispatches and copies after it has waited for the fence.
inline void publish_to_host(const DeviceTable& vk, VkCommandBuffer commands) {
  order(vk, commands, kDeviceWrites, {VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT});
}

}  // namespace vkmoye::vk
