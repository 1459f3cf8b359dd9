// SPDX-License-Identifier: MIT
#pragma once
// A kernel with its buffers and arguments: the state of a Launch.

#include <memory>
#include <vector>

#include "vkmoye/runtime/values/dispatches.hpp"
#include "vkmoye/runtime/vk/buffer_state.hpp"
#include "vkmoye/runtime/vk/pipeline_state.hpp"

namespace vkmoye::vk {

struct LaunchState {
  std::shared_ptr<Context> context;
  std::shared_ptr<const PipelineState> pipeline;
  std::vector<std::shared_ptr<const BufferState>> buffers;  // null: the user's
  Dispatches dispatches;
  Owned<VkDescriptorPool> pool;  // null where the kernel has no bindings
  VkDescriptorSet set = VK_NULL_HANDLE;
};

/// Records push constants and dispatches, for the pipeline and the descriptors that are bound.
void record(VkCommandBuffer commands, const PipelineState& pipeline, const Dispatches& dispatches);

/// Where the groups of an indirect dispatch are.
struct CommandPlace {
  VkBuffer buffer = VK_NULL_HANDLE;
  std::uint64_t offset = 0;
};
/// Records push constants and one dispatch, whose groups are in a buffer. Precondition: `dispatches` has one piece.
void record(VkCommandBuffer commands, const PipelineState& pipeline, const Dispatches& dispatches,
            const CommandPlace& groups);

/// Records a launch: no submit, no allocation. Pieces of a split grid are ordered.
void record(VkCommandBuffer commands, const LaunchState& launch);

}  // namespace vkmoye::vk
