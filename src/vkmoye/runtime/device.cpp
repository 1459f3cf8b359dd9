// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/device.hpp"

#include <fmt/format.h>

#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/runtime/bound_buffer.hpp"
#include "vkmoye/runtime/vk/timed_run.hpp"
#include "vkmoye/runtime/vulkan.hpp"

namespace vkmoye {
namespace {

std::shared_ptr<vk::Context> open_context(std::unique_ptr<vk::Loader> loader,
                                          PFN_vkGetInstanceProcAddr get, std::string_view selector,
                                          const OpenOptions& options) {
  auto context = std::make_shared<vk::Context>();
  context->loader = std::move(loader);
  context->instance = std::make_unique<vk::Instance>(
      get, vk::Validation{options.validation, options.debug_names, options.on_validation_message});
  context->physical = vk::choose(vk::query_all(*context->instance), selector);
  context->device = std::make_unique<vk::LogicalDevice>(*context->instance, context->physical,
                                                        options.statistics);
  if (context->instance->has_debug_utils()) {
    context->names = vk::DebugNames(context->instance->table(), context->handle());
  }
  vk::create_resources(*context, options, {});
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
  if (theirs.pipeline_cache != VK_NULL_HANDLE && options.cache && !options.cache_folder.empty()) {
    wrong.push_back(fmt::format(
        "pipeline_cache is set, and nothing is kept in the cache_folder '{}': set one of them",
        options.cache_folder));
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
    context->physical.supported = std::exchange(caps.features, theirs.features);
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
      for (const std::string& reason : vk::reasons_against(*context, *kernel, /*adopted=*/true)) {
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
  if (theirs.debug_utils) {
    context->names = vk::DebugNames(context->instance->table(), context->handle());
    if (!context->names.are_enabled()) {
      throw ArgumentError(
          "adopt: VK_EXT_debug_utils is listed as enabled, but the VkInstance has no "
          "vkSetDebugUtilsObjectNameEXT");
    }
  }
  vk::create_resources(*context, options, {theirs.lock_queue, theirs.unlock_queue},
                       theirs.pipeline_cache);
  return Device(std::move(context));
}

Device::Device(std::shared_ptr<vk::Context> context) : context_(std::move(context)) {}

Device::~Device() {
  if (!context_) return;
  // Unfinished work keeps the context alive; after this, only the user's handles do.
  context_->commands->drain();
  context_->cache->save();
}

const DeviceCaps& Device::caps() const { return context_->caps(); }

Buffer Device::buffer(std::uint64_t bytes, std::string_view name) {
  return Buffer(std::make_shared<vk::BufferState>(context_, bytes, name));
}

Pipeline Device::load(const CompiledKernel& kernel, const Arguments& values) {
  return Pipeline(vk::load(context_, kernel, values, /*pushes=*/false));
}

Launch Device::prepare(const Pipeline& pipeline, const std::vector<BufferView>& buffers,
                       const Arguments& arguments) {
  auto state = std::make_shared<vk::LaunchState>();
  state->context = context_;
  state->pipeline = pipeline.state();
  const std::string& name = pipeline.interface().name;
  if (pipeline.state()->context != context_) {
    throw ArgumentError(fmt::format("{}: was loaded on another Device", name));
  }
  vk::BoundLaunch bound;
  vk::bind(*context_, pipeline.interface(), buffers, arguments, bound);
  for (vk::BoundBuffer& buffer : bound.buffers) state->buffers.push_back(std::move(buffer.keep));
  if (descriptor_count(pipeline.interface()) > 0) {
    state->pool = vk::make_pool(*context_, pipeline.interface(), 1);
    state->set = vk::allocate_set(*pipeline.state(), state->pool.get());
    vk::DescriptorWrites writes;
    writes.assign(pipeline.interface(), bound, state->set);
    context_->table().UpdateDescriptorSets(context_->handle(), writes.count(), writes.data(), 0,
                                           nullptr);
  }
  state->dispatches = std::move(bound.dispatches);
  return Launch(std::move(state));
}

Pending Device::submit(const Launch& launch) { return vkmoye::submit(*this, {&launch, 1}); }

double Device::run(const Launch& launch) {
  if (launch.state()->context != context_) {
    throw ArgumentError("run: the launch was prepared on another Device");
  }
  return vk::run_timed(
      *context_, [&](VkCommandBuffer commands) { vk::record(commands, *launch.state()); },
      launch.state());
}

std::string Device::cache_status() const { return context_->cache->status(); }

void Device::save_cache() noexcept { context_->cache->save(); }

}  // namespace vkmoye
