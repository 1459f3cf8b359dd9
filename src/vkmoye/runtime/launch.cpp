// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/launch.hpp"

#include <fmt/format.h>

#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/device.hpp"
#include "vkmoye/runtime/vk/barriers.hpp"
#include "vkmoye/runtime/vk/bound_buffer.hpp"

namespace vkmoye {
void vk::dispatch(VkCommandBuffer commands, const PipelineState& pipeline, const LaunchPlan& plan) {
  const DeviceTable& table = pipeline.context->table();
  const auto push = [&](std::size_t offset, std::size_t bytes, const void* values) {
    table.CmdPushConstants(commands, pipeline.layout.get(), VK_SHADER_STAGE_COMPUTE_BIT,
                           static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(bytes),
                           values);
  };
  if (!plan.push_constants.empty()) {
    push(0, plan.push_constants.size(), plan.push_constants.data());
  }
  for (const GridPiece& piece : plan.pieces) {
    if (&piece != &plan.pieces.front()) order_device_work(table, commands);
    for (std::size_t i = 0; i < piece.first.size(); ++i) {
      if (plan.first_group[i] < 0) continue;
      push(static_cast<std::size_t>(plan.first_group[i]), sizeof piece.first[i], &piece.first[i]);
    }
    table.CmdDispatch(commands, piece.count[0], piece.count[1], piece.count[2]);
  }
}

void vk::record(VkCommandBuffer commands, const LaunchState& launch) {
  if (launch.plan.pieces.empty()) return;  // no groups: nothing to do
  const DeviceTable& table = launch.context->table();
  table.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, launch.pipeline->pipeline.get());
  if (launch.set != VK_NULL_HANDLE) {
    table.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                launch.pipeline->layout.get(), 0, 1, &launch.set, 0, nullptr);
  }
  dispatch(commands, *launch.pipeline, launch.plan);
}

Launch::Launch(std::shared_ptr<const vk::LaunchState> state) : state_(std::move(state)) {}

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
  state->plan = std::move(bound.plan);
  return Launch(std::move(state));
}

Pending::Pending(std::shared_ptr<vk::Context> context, std::unique_ptr<vk::Lease> lease)
    : context_(std::move(context)), lease_(std::move(lease)) {}
Pending::Pending(Pending&&) noexcept = default;
Pending::~Pending() = default;

bool Pending::is_done() const { return context_->commands->is_done(**lease_); }

void Pending::wait() { context_->commands->wait(**lease_); }

std::uint64_t Pending::value() const { return (*lease_)->value; }

}  // namespace vkmoye
