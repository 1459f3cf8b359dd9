// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/bound_buffer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::vk {
namespace {

// The address of a user's buffer. Precondition: the device has the feature, and the buffer was created for it.
std::uint64_t address_of(const Context& context, VkBuffer buffer) {
  VkBufferDeviceAddressInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  info.buffer = buffer;
  return context.table().GetBufferDeviceAddress(context.handle(), &info);
}

// Bitwise: 0 and -0 compare equal, but are different arguments.
bool are_same(const Arguments& a, const Arguments& b) {
  const auto bits = [](const Argument& argument) {
    const double* number = std::get_if<double>(&argument.value);
    return number != nullptr ? std::bit_cast<std::int64_t>(*number)
                             : std::get<std::int64_t>(argument.value);
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
    return x.first == y.first && x.second.value.index() == y.second.value.index() &&
           bits(x.second) == bits(y.second);
  });
}

}  // namespace

BoundBuffer resolve(const Context& context, const std::string& subject, const BufferView& view) {
  BoundBuffer bound;
  std::uint64_t whole = 0;
  if (view.buffer != nullptr) {
    bound.keep = view.buffer->state();
    if (bound.keep->context.get() != &context) {
      throw ArgumentError(fmt::format("{}: a buffer belongs to another Device", subject));
    }
    bound.handle = bound.keep->block.buffer;
    whole = bound.keep->bytes;
  } else {
    bound.handle = std::bit_cast<VkBuffer>(view.theirs);
    if (bound.handle == VK_NULL_HANDLE) {
      throw ArgumentError(fmt::format("{}: a buffer is VK_NULL_HANDLE", subject));
    }
    if (view.bytes == kToTheEnd) {
      throw ArgumentError(fmt::format(
          "{}: the number of bytes of a VkBuffer is needed, as Vulkan cannot report its size",
          subject));
    }
    // The memory that it requires is at least as large.
    VkMemoryRequirements needs = {};
    context.table().GetBufferMemoryRequirements(context.handle(), bound.handle, &needs);
    whole = needs.size;
  }
  const std::uint64_t rest = view.offset <= whole ? whole - view.offset : 0;
  const auto identity = static_cast<std::uintptr_t>(std::bit_cast<std::uint64_t>(bound.handle));
  bound.range = {reinterpret_cast<const void*>(identity), whole, view.offset,
                 view.bytes == kToTheEnd ? rest : view.bytes, 0};
  return bound;
}

namespace {

void bind_buffers(const Context& context, const KernelInterface& kernel,
                  std::span<const BufferView> views, BoundLaunch& launch) {
  launch.buffers.clear();
  launch.ranges.clear();
  for (const BufferView& view : views) {
    BoundBuffer bound = resolve(context, kernel.name, view);
    const std::size_t i = launch.ranges.size();
    if (i < kernel.bindings.size() && kernel.bindings[i].addressing == Addressing::pointer) {
      bound.range.address =
          bound.keep ? bound.keep->block.address : address_of(context, bound.handle);
    }
    launch.ranges.push_back(bound.range);
    launch.buffers.push_back(std::move(bound));
  }
}

void prepare(const Context& context, const KernelInterface& kernel, const Arguments& arguments,
             BoundLaunch& launch) {
  launch.arguments.reset();
  launch.dispatches = prepare_dispatches(kernel, context.caps(), launch.ranges, arguments);
  launch.is_prepared = true;
}

}  // namespace

void bind(const Context& context, const KernelInterface& kernel, std::span<const BufferView> views,
          const Arguments& arguments, BoundLaunch& launch) {
  bind_buffers(context, kernel, views, launch);
  if (launch.arguments && are_same(*launch.arguments, arguments)) {
    return rebind(kernel, context.caps(), launch.ranges, launch.dispatches);
  }
  prepare(context, kernel, arguments, launch);
  launch.arguments = arguments;
}

void bind(const Context& context, const KernelInterface& kernel, std::span<const BufferView> views,
          const LaunchFormula& formula, std::span<const Argument> values, BoundLaunch& launch) {
  const std::vector<std::string>& names = formula.names();
  if (values.size() != names.size()) {
    throw ArgumentError(fmt::format("{}: takes {} values ({}), got {}", kernel.name, names.size(),
                                    join(names, ", "), values.size()));
  }
  bind_buffers(context, kernel, views, launch);
  if (launch.is_prepared) {
    launch.arguments.reset();  // `dispatches` changes in any case
    if (formula.evaluate(values, launch.dispatches)) {
      return rebind(kernel, context.caps(), launch.ranges, launch.dispatches);
    }
  }
  Arguments arguments;
  for (std::size_t i = 0; i < names.size(); ++i) arguments.emplace(names[i], values[i]);
  prepare(context, kernel, arguments, launch);
}

void DescriptorWrites::assign(const KernelInterface& kernel, const BoundLaunch& launch,
                              VkDescriptorSet set) {
  infos_.clear();
  writes_.clear();
  infos_.reserve(kernel.bindings.size());
  for (std::uint32_t i = 0; i < kernel.bindings.size(); ++i) {
    if (kernel.bindings[i].addressing != Addressing::descriptor) continue;
    const BoundBuffer& bound = launch.buffers[i];
    VkDescriptorBufferInfo& info = infos_.emplace_back();
    info = {bound.handle, bound.range.offset, launch.dispatches.bound_bytes[i]};
    // Vulkan has no descriptors of 0 bytes. The kernel accesses no element here.
    if (info.range == 0) info = {bound.handle, 0, 1};
    VkWriteDescriptorSet& write = writes_.emplace_back();
    write = {};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set;
    write.dstBinding = i;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &info;
  }
}

Owned<VkDescriptorPool> make_pool(const Context& context, const KernelInterface& kernel,
                                  std::uint32_t sets) {
  VkDescriptorPoolSize size = {};
  size.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  size.descriptorCount = sets * static_cast<std::uint32_t>(descriptor_count(kernel));
  VkDescriptorPoolCreateInfo pool = {};
  pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool.maxSets = sets;
  pool.poolSizeCount = 1;
  pool.pPoolSizes = &size;
  return create<VkDescriptorPool>("vkCreateDescriptorPool", context.handle(),
                                  context.table().CreateDescriptorPool,
                                  context.table().DestroyDescriptorPool, pool);
}

VkDescriptorSet allocate_set(const PipelineState& pipeline, VkDescriptorPool pool) {
  const VkDescriptorSetLayout layout = pipeline.set_layout.get();
  VkDescriptorSetAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = pool;
  info.descriptorSetCount = 1;
  info.pSetLayouts = &layout;
  VkDescriptorSet set = VK_NULL_HANDLE;
  check(pipeline.context->table().AllocateDescriptorSets(pipeline.context->handle(), &info, &set),
        "vkAllocateDescriptorSets");
  return set;
}

}  // namespace vkmoye::vk
