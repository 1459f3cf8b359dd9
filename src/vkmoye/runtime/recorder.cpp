// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/recorder.hpp"

#include <fmt/format.h>

#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/vk/barriers.hpp"
#include "vkmoye/runtime/vk/bound_buffer.hpp"

namespace vkmoye {

struct Recorder::State {
  std::shared_ptr<const vk::PipelineState> pipeline;
  vk::Owned<VkDescriptorPool> pool;  // null: descriptors are pushed, or there are none
  std::uint32_t most = 0, used = 0;  // sets of the pool
  // Of the last recording, so that the next one finds room for its own.
  vk::BoundLaunch launch;
  vk::DescriptorWrites writes;

  State(Device& device, const CompiledKernel& kernel, const RecorderOptions& options) {
    const std::uint64_t descriptors = descriptor_count(kernel.interface);
    const bool pushes =
        descriptors > 0 && descriptors <= device.context()->device->max_push_descriptors();
    pipeline = vk::load(device.context(), kernel, pushes);
    if (pushes || descriptors == 0) return;
    most = options.recordings;
    if (most > 0) pool = vk::make_pool(*device.context(), kernel.interface, most);
  }

  bool takes_sets() const { return !pipeline->pushes && descriptor_count(pipeline->interface) > 0; }

  // A set of the pool with the buffers of `launch`; null where none is taken.
  VkDescriptorSet take_set() {
    if (!takes_sets()) return VK_NULL_HANDLE;
    const VkDescriptorSet set = vk::allocate_set(*pipeline, pool.get());
    ++used;
    writes.assign(pipeline->interface, launch, set);
    pipeline->context->table().UpdateDescriptorSets(pipeline->context->handle(), writes.count(),
                                                    writes.data(), 0, nullptr);
    return set;
  }

  void bind(VkCommandBuffer commands, VkDescriptorSet set) {
    const vk::DeviceTable& table = pipeline->context->table();
    const VkPipelineLayout layout = pipeline->layout.get();
    table.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->pipeline.get());
    if (pipeline->pushes) {
      writes.assign(pipeline->interface, launch, VK_NULL_HANDLE);
      table.CmdPushDescriptorSetKHR(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0,
                                    writes.count(), writes.data());
    } else if (set != VK_NULL_HANDLE) {
      table.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0,
                                  nullptr);
    }
  }
};

Recorder::Recorder(Device& device, const CompiledKernel& kernel, const RecorderOptions& options)
    : state_(std::make_unique<State>(device, kernel, options)) {}
Recorder::Recorder(Recorder&&) noexcept = default;
Recorder& Recorder::operator=(Recorder&&) noexcept = default;
Recorder::~Recorder() = default;

const KernelInterface& Recorder::interface() const { return state_->pipeline->interface; }

bool Recorder::pushes_descriptors() const { return state_->pipeline->pushes; }

void Recorder::record(VkCommandBuffer commands, std::span<const BufferView> buffers,
                      const Arguments& arguments, const Neighbours& neighbours) {
  const vk::PipelineState& pipeline = *state_->pipeline;
  const vk::BoundLaunch& launch = state_->launch;
  vk::bind(*pipeline.context, pipeline.interface, buffers, arguments, state_->launch);
  const bool runs = !launch.plan.pieces.empty();
  if (runs && state_->takes_sets() && state_->used == state_->most) {
    throw ArgumentError(fmt::format(
        "{}: all {} recordings that RecorderOptions::recordings makes room for are used, and the "
        "device does not push descriptors (VK_KHR_push_descriptor, {} of them); give a larger "
        "number, or call reset() once the device is done with them",
        pipeline.interface.name, state_->most, descriptor_count(pipeline.interface)));
  }
  const VkDescriptorSet set = runs ? state_->take_set() : VK_NULL_HANDLE;
  // What may fail has not: from here on something is recorded.
  const vk::DeviceTable& table = pipeline.context->table();
  vk::order(table, commands, neighbours.after, kKernelScope);
  if (runs) {
    state_->bind(commands, set);
    vk::dispatch(commands, pipeline, launch.plan);
  }
  vk::order(table, commands, kKernelScope, neighbours.before);
  state_->launch.buffers.clear();  // a Buffer of ours lives as long as its owner wants
}

void Recorder::reset() {
  if (!state_->pool) return;
  const vk::Context& context = *state_->pipeline->context;
  vk::check(context.table().ResetDescriptorPool(context.handle(), state_->pool.get(), 0),
            "vkResetDescriptorPool");
  state_->used = 0;
}

}  // namespace vkmoye
