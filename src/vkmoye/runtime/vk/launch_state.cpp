// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/vk/launch_state.hpp"

#include "vkmoye/runtime/vk/barriers.hpp"

namespace vkmoye::vk {

void record(VkCommandBuffer commands, const PipelineState& pipeline, const Dispatches& dispatches) {
  const DeviceTable& table = pipeline.context->table();
  const auto push = [&](std::size_t offset, std::size_t bytes, const void* values) {
    table.CmdPushConstants(commands, pipeline.layout.get(), VK_SHADER_STAGE_COMPUTE_BIT,
                           static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(bytes),
                           values);
  };
  if (!dispatches.push_constants.empty()) {
    push(0, dispatches.push_constants.size(), dispatches.push_constants.data());
  }
  for (const GridPiece& piece : dispatches.pieces) {
    if (&piece != &dispatches.pieces.front()) order_device_work(table, commands);
    for (std::size_t i = 0; i < piece.first.size(); ++i) {
      if (dispatches.first_group[i] < 0) continue;
      push(static_cast<std::size_t>(dispatches.first_group[i]), sizeof piece.first[i],
           &piece.first[i]);
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
