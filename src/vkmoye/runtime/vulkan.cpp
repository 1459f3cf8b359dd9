// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/vulkan.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/runtime/vk/barriers.hpp"
#include "vkmoye/runtime/vk/check.hpp"
#include "vkmoye/runtime/vk/launch_state.hpp"

namespace vkmoye {

void record(VkCommandBuffer commands, const Launch& launch) {
  vk::require_commands(commands, "record");
  vk::record(commands, *launch.state());
}

void record(VkCommandBuffer commands, std::span<const Launch> launches,
            const Neighbours& neighbours) {
  vk::require_commands(commands, "record");
  if (launches.empty()) return;
  const vk::DeviceTable& table = launches.front().state()->context->table();
  vk::order(table, commands, neighbours.after, kComputePass);
  for (const Launch& launch : launches) {
    if (&launch != &launches.front()) vk::order(table, commands, kComputePass, kComputePass);
    vk::record(commands, *launch.state());
  }
  vk::order(table, commands, kComputePass, neighbours.before);
}

namespace {

// Throws if one of `points` does not belong to a timeline semaphore.
void check_points(const vk::Commands& commands, const char* what,
                  const std::vector<TimelinePoint>& points) {
  for (const TimelinePoint& point : points) {
    if (point.semaphore == VK_NULL_HANDLE) {
      throw ArgumentError(fmt::format("submit: a semaphore to {} is VK_NULL_HANDLE", what));
    }
    if (commands.timeline() == VK_NULL_HANDLE) {
      throw ArgumentError(fmt::format(
          "submit: {} semaphores to {}, but the device was adopted without timelineSemaphore "
          "(AdoptedDevice::timeline_semaphores)",
          points.size(), what));
    }
  }
}

}  // namespace

Pending submit(Device& device, std::span<const Launch> launches, const SubmitOrder& order) {
  for (const Launch& launch : launches) {
    if (launch.state()->context == device.context()) continue;
    throw ArgumentError("submit: the launch was prepared on another Device");
  }
  vk::Commands& commands = *device.context()->commands;
  check_points(commands, "wait for", order.wait);
  check_points(commands, "signal", order.signal);
  auto lease = std::make_unique<vk::Lease>(commands.lease());
  commands.begin(**lease);
  record((*lease)->buffer, launches);
  commands.end(**lease);
  commands.submit(lease->slot(),
                  std::make_shared<std::vector<Launch>>(launches.begin(), launches.end()), order);
  return Pending(device.context(), std::move(lease));
}

TimelinePoint point_of(const Pending& pending) {
  const VkSemaphore timeline = pending.context()->commands->timeline();
  if (timeline == VK_NULL_HANDLE) {
    throw ArgumentError(
        "point_of: the device was adopted without timelineSemaphore "
        "(AdoptedDevice::timeline_semaphores)");
  }
  return {timeline, pending.value()};
}

DeviceHandles handles_of(const Device& device) {
  const vk::Context& context = *device.context();
  return {context.instance->table().GetInstanceProcAddr,
          context.instance->handle(),
          context.physical.handle,
          context.handle(),
          context.device->queue(),
          context.physical.queue_family};
}

VkBuffer handle_of(const Buffer& buffer) { return buffer.state()->block.buffer; }

}  // namespace vkmoye
