// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/device.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/vk/context.hpp"
#include "vkmoye/runtime/vk/timestamps.hpp"
#include "vkmoye/runtime/vulkan.hpp"

namespace vkmoye {
namespace {

std::shared_ptr<vk::Context> open_context(std::unique_ptr<vk::Loader> loader,
                                          PFN_vkGetInstanceProcAddr get, std::string_view selector,
                                          const OpenOptions& options) {
  auto context = std::make_shared<vk::Context>();
  context->loader = std::move(loader);
  context->instance = std::make_unique<vk::Instance>(
      get, vk::Validation{options.validation, options.on_validation_message});
  context->physical = vk::choose(vk::query_all(*context->instance), selector);
  context->device = std::make_unique<vk::LogicalDevice>(*context->instance, context->physical,
                                                        options.statistics);
  vk::complete(*context, options, {});
  return context;
}

}  // namespace

std::vector<DeviceCaps> list_devices() {
  const vk::Loader loader;
  const vk::Instance instance(loader.get_instance_proc_addr(), {});
  const std::vector<vk::PhysicalDevice> devices = vk::query_all(instance);
  if (devices.empty()) vk::choose(devices, "");  // throws the same error as opening one
  std::vector<DeviceCaps> caps;
  for (const vk::PhysicalDevice& device : devices) caps.push_back(device.caps);
  return caps;
}

Device Device::open(std::string_view selector, const OpenOptions& options) {
  auto loader = std::make_unique<vk::Loader>();
  const PFN_vkGetInstanceProcAddr get = loader->get_instance_proc_addr();
  return Device(open_context(std::move(loader), get, selector, options));
}

Device open_through(PFN_vkGetInstanceProcAddr get, std::string_view selector,
                    const OpenOptions& options) {
  return Device(open_context(nullptr, get, selector, options));
}

Device::Device(std::shared_ptr<vk::Context> context) : context_(std::move(context)) {}

Device::~Device() {
  if (!context_) return;
  // Unfinished work keeps the context alive; after this, only the user's handles do.
  context_->commands->drain();
  context_->cache->save();
}

const DeviceCaps& Device::caps() const { return context_->caps(); }

Buffer Device::buffer(std::uint64_t bytes) {
  return Buffer(std::make_shared<vk::BufferState>(context_, bytes));
}

Pending Device::submit(const Launch& launch) { return vkmoye::submit(*this, {&launch, 1}); }

double Device::run(const Launch& launch) {
  if (launch.state()->context != context_) {
    throw ArgumentError("run: the launch was prepared on another Device");
  }
  vk::Commands& commands = *context_->commands;
  const vk::Lease slot = commands.lease();
  const VkQueryPool queries = slot->timestamps.get();
  const auto stamp = [&](std::uint32_t index) {
    if (queries == VK_NULL_HANDLE) return;
    context_->table().CmdWriteTimestamp(slot->buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries,
                                        index);
  };
  commands.begin(*slot);
  if (queries != VK_NULL_HANDLE) context_->table().CmdResetQueryPool(slot->buffer, queries, 0, 2);
  stamp(0);
  vk::record(slot->buffer, *launch.state());
  stamp(1);
  commands.end(*slot);
  const auto start = std::chrono::steady_clock::now();
  commands.submit(slot.slot(), launch.state());
  commands.wait(*slot);
  const std::chrono::duration<double, std::micro> elapsed =
      std::chrono::steady_clock::now() - start;
  if (queries == VK_NULL_HANDLE) return elapsed.count();
  return vk::read_intervals_us(*context_, queries, 1).front();
}

std::string Device::cache_status() const { return context_->cache->status(); }

void Device::save_cache() noexcept { context_->cache->save(); }

}  // namespace vkmoye
