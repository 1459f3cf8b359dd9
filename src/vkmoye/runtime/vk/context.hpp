// SPDX-License-Identifier: MIT
#pragma once
// An open device. Each public handle (Buffer, Pipeline, Launch, Pending) shares its state (buffer_state.hpp,
// pipeline_state.hpp, launch_state.hpp), and each state shares the context: they may be destroyed in any order.

#include <memory>
#include <string_view>
#include <vector>

#include "vkmoye/runtime/values/open_options.hpp"
#include "vkmoye/runtime/vk/commands.hpp"
#include "vkmoye/runtime/vk/debug_names.hpp"
#include "vkmoye/runtime/vk/memory.hpp"
#include "vkmoye/runtime/vk/pipeline_cache.hpp"
#include "vkmoye/runtime/vk/staging.hpp"

namespace vkmoye::vk {

/// Thread-safe. The members are in the order of their creation, and are destroyed in the opposite order.
struct Context {
  std::unique_ptr<Loader> loader;  // null: the user gave the functions
  std::unique_ptr<Instance> instance;
  PhysicalDevice physical;
  std::unique_ptr<LogicalDevice> device;
  DebugNames names;
  std::unique_ptr<Memory> memory;
  std::unique_ptr<PipelineCache> cache;
  std::unique_ptr<Commands> commands;
  std::unique_ptr<Staging> staging;

  const DeviceTable& table() const { return device->table(); }
  VkDevice handle() const { return device->handle(); }
  const DeviceCaps& caps() const { return physical.caps; }
};

/// The device that `selector` names; throws as Device::open does.
const PhysicalDevice& choose(const std::vector<PhysicalDevice>& devices, std::string_view selector);

/// Creates the members of `context` from `memory` on, once it has instance, physical and device. `their_cache`: the
/// user's own pipeline cache, or null.
void create_resources(Context& context, const OpenOptions& options, QueueLock queue_lock,
                      VkPipelineCache their_cache = VK_NULL_HANDLE);

}  // namespace vkmoye::vk
