// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/vk/launch_state.hpp"

#include "vkmoye/runtime/vk/barriers.hpp"

namespace vkmoye::vk {
namespace {

void push(VkCommandBuffer commands, const PipelineState& pipeline, std::size_t offset,
          std::size_t bytes, const void* values) {
  pipeline.context->table().CmdPushConstants(
      commands, pipeline.layout.get(), VK_SHADER_STAGE_COMPUTE_BIT,
      static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(bytes), values);
}

void push_all(VkCommandBuffer commands, const PipelineState& pipeline,
              const Dispatches& dispatches) {
  const std::vector<std::byte>& constants = dispatches.push_constants;
  if (!constants.empty()) push(commands, pipeline, 0, constants.size(), constants.data());
}

}  // namespace

void record(VkCommandBuffer commands, const PipelineState& pipeline, const Dispatches& dispatches,
            const CommandPlace& groups) {
  push_all(commands, pipeline, dispatches);  // first_group_* are 0
  pipeline.context->table().CmdDispatchIndirect(commands, groups.buffer, groups.offset);
}

void record(VkCommandBuffer commands, const PipelineState& pipeline, const Dispatches& dispatches) {
  const DeviceTable& table = pipeline.context->table();
  push_all(commands, pipeline, dispatches);
  for (const GridPiece& piece : dispatches.pieces) {
    if (&piece != &dispatches.pieces.front()) order_device_work(table, commands);
    for (std::size_t i = 0; i < piece.first.size(); ++i) {
      if (dispatches.first_group[i] < 0) continue;
      push(commands, pipeline, static_cast<std::size_t>(dispatches.first_group[i]),
           sizeof piece.first[i], &piece.first[i]);
    }
    table.CmdDispatch(commands, piece.count[0], piece.count[1], piece.count[2]);
  }
}

void record(VkCommandBuffer commands, const LaunchState& launch) {
  if (launch.dispatches.pieces.empty()) return;  // no groups: nothing to do
  const DeviceTable& table = launch.context->table();
  const DebugLabel label(launch.context->names, commands, launch.pipeline->label);
  table.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, launch.pipeline->pipeline.get());
  if (launch.set != VK_NULL_HANDLE) {
    table.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                launch.pipeline->layout.get(), 0, 1, &launch.set, 0, nullptr);
  }
  record(commands, *launch.pipeline, launch.dispatches);
}

}  // namespace vkmoye::vk
