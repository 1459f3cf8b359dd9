// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/vk/timed_run.hpp"

#include <chrono>
#include <utility>

#include "vkmoye/runtime/vk/timestamps.hpp"

namespace vkmoye::vk {

double run_timed(Context& context, const std::function<void(VkCommandBuffer)>& record,
                 std::shared_ptr<const void> keep) {
  Commands& commands = *context.commands;
  const Lease slot = commands.lease();
  const VkQueryPool queries = slot->timestamps.get();
  const auto stamp = [&](std::uint32_t index) {
    if (queries == VK_NULL_HANDLE) return;
    context.table().CmdWriteTimestamp(slot->buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries,
                                      index);
  };
  commands.begin(*slot);
  if (queries != VK_NULL_HANDLE) context.table().CmdResetQueryPool(slot->buffer, queries, 0, 2);
  stamp(0);
  record(slot->buffer);
  stamp(1);
  commands.end(*slot);
  const auto start = std::chrono::steady_clock::now();
  commands.submit(slot.slot(), std::move(keep));
  commands.wait(*slot);
  const std::chrono::duration<double, std::micro> elapsed =
      std::chrono::steady_clock::now() - start;
  if (queries == VK_NULL_HANDLE) return elapsed.count();
  return read_intervals_us(context, queries, 1).front();
}

}  // namespace vkmoye::vk
