#include "vkmoye/runtime/launch.hpp"

#include <fmt/format.h>

#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/device.hpp"
#include "vkmoye/runtime/vk/barriers.hpp"
#include "vkmoye/runtime/vk/context.hpp"

namespace vkmoye {
namespace {

// Precondition: the device has the feature, so that the buffer was made for it.
std::uint64_t address_of(const vk::BufferState& buffer) {
  VkBufferDeviceAddressInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  info.buffer = buffer.block.buffer;
  return buffer.context->table().GetBufferDeviceAddress(buffer.context->handle(), &info);
}

std::vector<BoundRange> ranges_of(const std::vector<BufferView>& views,
                                  const KernelInterface& kernel) {
  std::vector<BoundRange> ranges;
  for (const BufferView& view : views) {
    const std::uint64_t whole = view.buffer->bytes();
    std::uint64_t bytes = view.bytes;
    if (bytes == kToTheEnd) bytes = view.offset <= whole ? whole - view.offset : 0;
    const std::size_t i = ranges.size();
    const bool is_pointer =
        i < kernel.bindings.size() && kernel.bindings[i].reach == Reach::pointer;
    ranges.push_back({view.buffer->state().get(), whole, view.offset, bytes,
                      is_pointer ? address_of(*view.buffer->state()) : 0});
  }
  return ranges;
}

void bind_buffers(vk::LaunchState& launch, const std::vector<BufferView>& views) {
  const vk::Context& context = *launch.context;
  const vk::DeviceTable& table = context.table();
  const std::vector<Binding>& bindings = launch.pipeline->interface.bindings;
  std::vector<std::uint32_t> bound;  // as descriptors
  for (std::uint32_t i = 0; i < bindings.size(); ++i) {
    if (bindings[i].reach == Reach::descriptor) bound.push_back(i);
  }
  if (bound.empty()) return;
  const auto count = static_cast<std::uint32_t>(bound.size());
  VkDescriptorPoolSize size = {};
  size.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  size.descriptorCount = count;
  VkDescriptorPoolCreateInfo pool = {};
  pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool.maxSets = 1;
  pool.poolSizeCount = 1;
  pool.pPoolSizes = &size;
  launch.pool =
      vk::create<VkDescriptorPool>("vkCreateDescriptorPool", context.handle(),
                                   table.CreateDescriptorPool, table.DestroyDescriptorPool, pool);
  const VkDescriptorSetLayout layout = launch.pipeline->set_layout.get();
  VkDescriptorSetAllocateInfo set = {};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  set.descriptorPool = launch.pool.get();
  set.descriptorSetCount = 1;
  set.pSetLayouts = &layout;
  vk::check(table.AllocateDescriptorSets(context.handle(), &set, &launch.set),
            "vkAllocateDescriptorSets");
  std::vector<VkDescriptorBufferInfo> infos(count);
  std::vector<VkWriteDescriptorSet> writes(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t at = bound[i];
    infos[i] = {launch.buffers[at]->block.buffer, views[at].offset, launch.plan.bound_bytes[at]};
    // A descriptor of 0 bytes is forbidden. The kernel touches no element here.
    if (infos[i].range == 0) infos[i] = {infos[i].buffer, 0, VK_WHOLE_SIZE};
    writes[i] = {};
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = launch.set;
    writes[i].dstBinding = at;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    writes[i].pBufferInfo = &infos[i];
  }
  table.UpdateDescriptorSets(context.handle(), count, writes.data(), 0, nullptr);
}

}  // namespace

void vk::record(VkCommandBuffer commands, const LaunchState& launch) {
  const DeviceTable& table = launch.context->table();
  const VkPipelineLayout layout = launch.pipeline->layout.get();
  const LaunchPlan& plan = launch.plan;
  if (plan.pieces.empty()) return;  // no groups: nothing to do
  const auto push = [&](std::size_t offset, std::size_t bytes, const void* values) {
    table.CmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT,
                           static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(bytes),
                           values);
  };
  table.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, launch.pipeline->pipeline.get());
  if (launch.set != VK_NULL_HANDLE) {
    table.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &launch.set,
                                0, nullptr);
  }
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
  for (const BufferView& view : buffers) {
    if (view.buffer->state()->context != context_) {
      throw ArgumentError(fmt::format("{}: a buffer belongs to another Device", name));
    }
    state->buffers.push_back(view.buffer->state());
  }
  state->plan = plan_launch(pipeline.interface(), caps(), ranges_of(buffers, pipeline.interface()),
                            arguments);
  bind_buffers(*state, buffers);
  return Launch(std::move(state));
}

Pending::Pending(std::shared_ptr<vk::Context> context, std::unique_ptr<vk::Lease> lease)
    : context_(std::move(context)), lease_(std::move(lease)) {}
Pending::Pending(Pending&&) noexcept = default;
Pending::~Pending() = default;

bool Pending::is_done() const { return context_->commands->is_done(**lease_); }

void Pending::wait() { context_->commands->wait(**lease_); }

}  // namespace vkmoye
