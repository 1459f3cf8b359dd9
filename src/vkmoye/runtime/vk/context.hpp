// SPDX-License-Identifier: MIT
#pragma once
// An open device and everything that it owns. Each public handle (Buffer, Pipeline, Launch, Pending)
// shares its state, and each state shares the context, so handles may be destroyed in any order.

#include <memory>
#include <string_view>
#include <vector>

#include "vkmoye/runtime/device.hpp"
#include "vkmoye/runtime/launch_plan.hpp"
#include "vkmoye/runtime/vk/commands.hpp"
#include "vkmoye/runtime/vk/memory.hpp"
#include "vkmoye/runtime/vk/pipeline_cache.hpp"
#include "vkmoye/runtime/vk/staging.hpp"

namespace vkmoye::vk {

/// Thread-safe. Members in the order of creation; they are destroyed in the opposite one.
struct Context {
  std::unique_ptr<Loader> loader;  // null: the user gave the functions
  std::unique_ptr<Instance> instance;
  PhysicalDevice physical;
  std::unique_ptr<LogicalDevice> device;
  std::unique_ptr<Memory> memory;
  std::unique_ptr<PipelineCache> cache;
  std::unique_ptr<Commands> commands;
  std::unique_ptr<Staging> staging;

  const DeviceTable& table() const { return device->table(); }
  VkDevice handle() const { return device->handle(); }
  const DeviceCaps& caps() const { return physical.caps; }
};

struct BufferState {
  std::shared_ptr<Context> context;
  Block block;
  std::uint64_t bytes = 0;            // as requested
  std::uint64_t allocated_bytes = 0;  // rounded up, so that whole words can be filled

  BufferState(std::shared_ptr<Context> context, std::uint64_t bytes);
  ~BufferState();
  BufferState(const BufferState&) = delete;
  BufferState& operator=(const BufferState&) = delete;
};

struct PipelineState {
  std::shared_ptr<Context> context;
  KernelInterface interface;
  Owned<VkDescriptorSetLayout> set_layout;
  Owned<VkPipelineLayout> layout;
  Owned<VkPipeline> pipeline;
  bool pushes = false;  // its descriptors are pushed into command buffers: it has no sets
};

struct LaunchState {
  std::shared_ptr<Context> context;
  std::shared_ptr<const PipelineState> pipeline;
  std::vector<std::shared_ptr<const BufferState>> buffers;  // null: the user's
  LaunchPlan plan;
  Owned<VkDescriptorPool> pool;  // null where the kernel has no bindings
  VkDescriptorSet set = VK_NULL_HANDLE;
};

/// The result of `reasons_against`, and, if the device is `adopted`, what to enable on it.
std::vector<std::string> reasons_against(const Context& context, const KernelInterface& kernel,
                                         bool adopted);

/// Loads a kernel, see Device::load; `pushes`: for descriptors that are pushed. Precondition: the device
/// does.
std::shared_ptr<const PipelineState> load(const std::shared_ptr<Context>& context,
                                          const CompiledKernel& kernel, bool pushes);

/// Records push constants and dispatches, for the pipeline and the descriptors that are bound.
void dispatch(VkCommandBuffer commands, const PipelineState& pipeline, const LaunchPlan& plan);

/// Records a launch: no submit, no allocation. Pieces of a split grid are ordered.
void record(VkCommandBuffer commands, const LaunchState& launch);

/// The device that `selector` names; throws as Device::open does.
const PhysicalDevice& choose(const std::vector<PhysicalDevice>& devices, std::string_view selector);

/// Fills in `context` from `memory` on, once it has instance, physical and device.
void complete(Context& context, const OpenOptions& options, QueueLock queue_lock);

}  // namespace vkmoye::vk
