// SPDX-License-Identifier: MIT
#pragma once
// One side of a memory dependency.

#include <vulkan/vulkan_core.h>

namespace vkmoye {

/// Pipeline stages and what they do to memory, as in a VkMemoryBarrier.
struct SyncScope {
  VkPipelineStageFlags stages = 0;
  VkAccessFlags access = 0;
};

}  // namespace vkmoye
