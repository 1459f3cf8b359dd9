// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/vulkan.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/runtime/vk/barriers.hpp"
#include "vkmoye/runtime/vk/context.hpp"

namespace vkmoye {

Device Device::adopt(const AdoptedDevice& theirs, const OpenOptions& options) {
  std::vector<std::string> wrong;
  if (theirs.get_instance_proc_addr == nullptr) wrong.push_back("get_instance_proc_addr is null");
  if (theirs.instance == VK_NULL_HANDLE) wrong.push_back("instance is null");
  if (theirs.physical_device == VK_NULL_HANDLE) wrong.push_back("physical_device is null");
  if (theirs.device == VK_NULL_HANDLE) wrong.push_back("device is null");
  if (theirs.queue == VK_NULL_HANDLE) wrong.push_back("queue is null");
  if (!theirs.lock_queue != !theirs.unlock_queue) {
    wrong.push_back("lock_queue and unlock_queue belong together");
  }
  auto context = std::make_shared<vk::Context>();
  if (wrong.empty()) {
    context->instance = std::make_unique<vk::Instance>(theirs.get_instance_proc_addr,
                                                       theirs.instance, theirs.api_version);
    context->physical = vk::query(*context->instance, theirs.physical_device, theirs.queue_family);
    DeviceCaps& caps = context->physical.caps;
    if (!caps.why_unusable.empty())
      wrong.push_back(fmt::format("{}: {}", caps.name, caps.why_unusable));
    for (const Feature feature : theirs.features.list()) {
      if (!caps.has(feature)) {
        wrong.push_back(fmt::format("the feature {} is listed as enabled, but {} does not have it",
                                    to_string(feature), caps.name));
      }
    }
    caps.features = theirs.features;
    caps.max_sparse_buffer_bytes = 0;  // it is not known whether that feature was enabled
    if (!caps.has(Feature::cooperative_matrix)) caps.matrix_shapes.clear();
  }
  std::uint32_t push_descriptors = 0;
  if (wrong.empty()) {
    const vk::PhysicalDevice& physical = context->physical;
    if (theirs.push_descriptors) push_descriptors = physical.max_push_descriptors;
    if (theirs.push_descriptors && push_descriptors == 0) {
      wrong.push_back(
          fmt::format("VK_KHR_push_descriptor is listed as enabled, but {} does not have it",
                      physical.caps.name));
    }
    if (theirs.timeline_semaphores && !physical.has_timelines) {
      wrong.push_back(fmt::format("timelineSemaphore is listed as enabled, but {} does not have it",
                                  physical.caps.name));
    }
    for (const KernelInterface* kernel : theirs.kernels) {
      for (const std::string& reason : vk::reasons_against(*context, *kernel, true)) {
        wrong.push_back(fmt::format("{}: {}", kernel->name, reason));
      }
    }
  }
  if (!wrong.empty()) {
    throw ArgumentError(with_reasons("adopt", wrong));
  }
  context->device =
      std::make_unique<vk::LogicalDevice>(*context->instance, theirs.device, theirs.queue,
                                          push_descriptors, theirs.timeline_semaphores);
  if (push_descriptors > 0 && context->table().CmdPushDescriptorSetKHR == nullptr) {
    throw ArgumentError(
        "adopt: VK_KHR_push_descriptor is listed as enabled, but the VkDevice has no "
        "vkCmdPushDescriptorSetKHR");
  }
  vk::complete(*context, options, {theirs.lock_queue, theirs.unlock_queue});
  return Device(std::move(context));
}

void record(VkCommandBuffer commands, const Launch& launch) {
  vk::record(commands, *launch.state());
}

void record(VkCommandBuffer commands, std::span<const Launch> launches,
            const Neighbours& neighbours) {
  if (launches.empty()) return;
  const vk::DeviceTable& table = launches.front().state()->context->table();
  vk::order(table, commands, neighbours.after, kKernelScope);
  for (const Launch& launch : launches) {
    if (&launch != &launches.front()) vk::order(table, commands, kKernelScope, kKernelScope);
    vk::record(commands, *launch.state());
  }
  vk::order(table, commands, kKernelScope, neighbours.before);
}

namespace {

// Throws if one of `points` does not belong to a timeline semaphore.
void add_points(const vk::Commands& commands, const char* what,
                const std::vector<TimelinePoint>& points, std::vector<vk::Point>& out) {
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
    out.push_back({point.semaphore, point.value});
  }
}

}  // namespace

Pending submit(Device& device, std::span<const Launch> launches, const SubmitOrder& order) {
  for (const Launch& launch : launches) {
    if (launch.state()->context == device.context()) continue;
    throw ArgumentError("submit: the launch was prepared on another Device");
  }
  vk::Commands& commands = *device.context()->commands;
  vk::Points points;
  add_points(commands, "wait for", order.wait, points.wait);
  add_points(commands, "signal", order.signal, points.signal);
  auto lease = std::make_unique<vk::Lease>(commands.lease());
  commands.begin(**lease);
  record((*lease)->buffer, launches);
  commands.end(**lease);
  commands.submit(lease->slot(),
                  std::make_shared<std::vector<Launch>>(launches.begin(), launches.end()), points);
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
