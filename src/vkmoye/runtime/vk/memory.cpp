// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/vk/memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/round_up.hpp"
#include "vkmoye/runtime/vk/check.hpp"
#include "vkmoye/runtime/vk/commands.hpp"
#include "vkmoye/runtime/vk/owned.hpp"

// Everything that vk_mem_alloc.h includes, so that none of it ends up in the namespace below.
#include <vulkan/vulkan.h>

#include <atomic>
#include <bit>
#include <cassert>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <type_traits>
#include <utility>

// The Vulkan Memory Allocator, configured to use only the functions that are passed to it. It must be private: a
// program that links vkmoye may contain another copy with other settings, and the linker would keep only one of two
// equal symbols. An unnamed namespace has no external symbols, except for functions declared extern "C", hence
// `static`.
#define VMA_STATIC_VULKAN_FUNCTIONS 0
#define VMA_DYNAMIC_VULKAN_FUNCTIONS 1
#define VMA_VULKAN_VERSION 1002000
#define VMA_CALL_PRE static
#define VMA_IMPLEMENTATION

namespace vkmoye::vk {
namespace {

#include <vk_mem_alloc.h>

// memory.hpp holds both as void*, so that no other file sees their types.
VmaAllocator allocator_of(void* memory) { return static_cast<VmaAllocator>(memory); }
VmaAllocation allocation_of(const BufferMemory& block) {
  return static_cast<VmaAllocation>(block.allocation);
}

BufferMemory make(VmaAllocator allocator, std::uint64_t bytes, VkBufferUsageFlags usage,
                  const VmaAllocationCreateInfo& how) {
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = usage;
  BufferMemory block;
  VmaAllocation allocation = nullptr;
  VmaAllocationInfo got = {};
  const VkResult result = vmaCreateBuffer(allocator, &info, &how, &block.buffer, &allocation, &got);
  // VMA returns the result of vkCreateBuffer, vkAllocateMemory, vkBindBufferMemory or vkMapMemory.
  check(result, fmt::format("vmaCreateBuffer({} bytes)", bytes));
  VkMemoryPropertyFlags flags = 0;
  vmaGetAllocationMemoryProperties(allocator, allocation, &flags);
  block.allocation = allocation;
  block.mapped = static_cast<std::byte*>(got.pMappedData);
  block.cached = block.mapped != nullptr && (flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0;
  return block;
}

}  // namespace

Memory::Memory(const Instance& instance, const PhysicalDevice& physical,
               const LogicalDevice& device, bool direct)
    : device_(device),
      max_allocation_bytes_(physical.caps.max_allocation_bytes),
      direct_(direct),
      knows_budget_(device.has_memory_budget()),
      gives_addresses_(physical.caps.has(Feature::buffer_address)) {
  VmaVulkanFunctions functions = {};
  functions.vkGetInstanceProcAddr = instance.table().GetInstanceProcAddr;
  functions.vkGetDeviceProcAddr = instance.table().GetDeviceProcAddr;
  VmaAllocatorCreateInfo info = {};
  info.instance = instance.handle();
  info.physicalDevice = physical.handle;
  info.device = device.handle();
  info.pVulkanFunctions = &functions;
  // This is all that we need; VMA aborts on versions that it does not know.
  info.vulkanApiVersion = VK_API_VERSION_1_2;
  if (knows_budget_) info.flags |= VMA_ALLOCATOR_CREATE_EXT_MEMORY_BUDGET_BIT;
  if (gives_addresses_) info.flags |= VMA_ALLOCATOR_CREATE_BUFFER_DEVICE_ADDRESS_BIT;
  VmaAllocator allocator = nullptr;
  check(vmaCreateAllocator(&info, &allocator), "vmaCreateAllocator");
  allocator_ = allocator;

  const VkPhysicalDeviceMemoryProperties* memory = nullptr;
  vmaGetMemoryProperties(allocator, &memory);
  device_heap_ = largest_device_heap(*memory).value_or(0);
  for (std::uint32_t i = 0; i < memory->memoryTypeCount; ++i) {
    const VkMemoryType& type = memory->memoryTypes[i];
    const bool local = (type.propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0;
    if (local && type.heapIndex == device_heap_) device_types_ |= 1u << i;
  }
}

Memory::~Memory() { vmaDestroyAllocator(allocator_of(allocator_)); }

BufferMemory Memory::create_device_buffer(std::uint64_t bytes, Commands& commands,
                                          const std::shared_ptr<const void>& owner) {
  refuse_beyond_heap(bytes);
  BufferMemory block = create_whole_or_in_pieces(bytes, commands, owner);
  if (gives_addresses_) {
    VkBufferDeviceAddressInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
    info.buffer = block.buffer;
    block.address = device_.table().GetBufferDeviceAddress(device_.handle(), &info);
  }
  return block;
}

BufferMemory Memory::create_whole_or_in_pieces(std::uint64_t bytes, Commands& commands,
                                               const std::shared_ptr<const void>& owner) {
  VmaAllocationCreateInfo how = {};
  how.requiredFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  how.memoryTypeBits = device_types_;
  if (direct_) {
    how.preferredFlags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
    how.flags = VMA_ALLOCATION_CREATE_MAPPED_BIT;
  }
  VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                             VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |  // for the scratch of plans
                             VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (gives_addresses_) usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  if (bytes <= max_allocation_bytes_) return make(allocator_of(allocator_), bytes, usage, how);
  // Slightly more than the limit may work, and one allocation is faster than several: 127x129x255x257 of f32, 1.7 MB
  // above the limit of an H200, took 4.1 ms in one and 6.1 ms in several.
  if (bytes - max_allocation_bytes_ <= max_allocation_bytes_ / 64) {
    try {
      return make(allocator_of(allocator_), bytes, usage, how);
    } catch (const DeviceError& error) {
      if (error.kind != DeviceError::Kind::kOutOfMemory) throw;
    }
  }
  return create_in_pieces(bytes, usage, commands, owner);
}

// As few equal pieces as the device allows; the last one is shorter. The host cannot access them.
BufferMemory Memory::create_in_pieces(std::uint64_t bytes, VkBufferUsageFlags usage,
                                      Commands& commands,
                                      const std::shared_ptr<const void>& owner) {
  struct Pieces {
    std::shared_ptr<const void> owner;  // destroyed last
    VmaAllocator allocator;
    std::vector<VmaAllocation> allocations;
    Owned<VkBuffer> buffer;
    ~Pieces() {
      buffer = {};
      vmaFreeMemoryPages(allocator, allocations.size(), allocations.data());
    }
  };
  const DeviceTable& table = device_.table();
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT;
  info.size = bytes;
  info.usage = usage;
  const auto pieces = std::make_shared<Pieces>();
  pieces->owner = owner;
  pieces->allocator = allocator_of(allocator_);
  pieces->buffer = create<VkBuffer>("vkCreateBuffer", device_.handle(), table.CreateBuffer,
                                    table.DestroyBuffer, info);
  VkMemoryRequirements needs = {};
  table.GetBufferMemoryRequirements(device_.handle(), pieces->buffer.get(), &needs);
  const VkDeviceSize all = needs.size,
                     max_piece = max_allocation_bytes_ / needs.alignment * needs.alignment;
  if (max_piece == 0) check(VK_ERROR_OUT_OF_DEVICE_MEMORY, "vkGetBufferMemoryRequirements");
  const VkDeviceSize count = (all + max_piece - 1) / max_piece;
  needs.size = round_up((all + count - 1) / count, needs.alignment);
  VmaAllocationCreateInfo how = {};
  how.requiredFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  how.memoryTypeBits = device_types_;
  how.flags = VMA_ALLOCATION_CREATE_DEDICATED_MEMORY_BIT;
  std::vector<VmaAllocation> allocations(count);
  std::vector<VmaAllocationInfo> got(count);
  check(vmaAllocateMemoryPages(allocator_of(allocator_), &needs, &how, count, allocations.data(),
                               got.data()),
        fmt::format("vmaAllocateMemoryPages({} x {} bytes)", count, needs.size));
  pieces->allocations = std::move(allocations);
  std::vector<VkSparseMemoryBind> binds(count);
  for (std::size_t i = 0; i < count; ++i) {
    binds[i] = {};
    binds[i].resourceOffset = i * needs.size;
    binds[i].size = std::min(needs.size, all - binds[i].resourceOffset);
    binds[i].memory = got[i].deviceMemory;
    binds[i].memoryOffset = got[i].offset;
  }
  const VkSparseBufferMemoryBindInfo buffer = {pieces->buffer.get(),
                                               static_cast<std::uint32_t>(count), binds.data()};
  commands.bind(buffer, pieces);
  BufferMemory block;
  block.buffer = pieces->buffer.get();
  block.pieces = pieces;
  return block;
}

BufferMemory Memory::create_staging_buffer(std::uint64_t bytes) {
  VmaAllocationCreateInfo how = {};
  how.requiredFlags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
  how.preferredFlags = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  how.flags = VMA_ALLOCATION_CREATE_MAPPED_BIT;
  return make(allocator_of(allocator_), bytes,
              VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, how);
}

void Memory::destroy(const BufferMemory& block) noexcept {
  if (block.pieces) return;  // it owns them
  vmaDestroyBuffer(allocator_of(allocator_), block.buffer, allocation_of(block));
}

void Memory::flush(const BufferMemory& block, std::uint64_t offset, std::uint64_t bytes) {
  check(vmaFlushAllocation(allocator_of(allocator_), allocation_of(block), offset, bytes),
        "vmaFlushAllocation");
}

void Memory::invalidate(const BufferMemory& block, std::uint64_t offset, std::uint64_t bytes) {
  check(vmaInvalidateAllocation(allocator_of(allocator_), allocation_of(block), offset, bytes),
        "vmaInvalidateAllocation");
}

void Memory::refuse_beyond_heap(std::uint64_t bytes) {
  VmaBudget budgets[VK_MAX_MEMORY_HEAPS] = {};
  vmaGetHeapBudgets(allocator_of(allocator_), budgets);
  const VkPhysicalDeviceMemoryProperties* memory = nullptr;
  vmaGetMemoryProperties(allocator_of(allocator_), &memory);
  const VmaBudget& heap = budgets[device_heap_];
  // Without VK_EXT_memory_budget, VMA estimates the budget; the size of the heap and our own use are exact.
  const std::uint64_t size = memory->memoryHeaps[device_heap_].size;
  const std::uint64_t room = knows_budget_ ? std::min<std::uint64_t>(heap.budget, size) : size;
  // Memory that VMA has allocated but not used yet is available as well.
  const std::uint64_t held = heap.statistics.blockBytes - heap.statistics.allocationBytes;
  const std::uint64_t used = knows_budget_ ? heap.usage - std::min<std::uint64_t>(heap.usage, held)
                                           : heap.statistics.allocationBytes;
  if (used > room || bytes > room - used) {
    throw DeviceError(DeviceError::Kind::kOutOfMemory,
                      fmt::format("a buffer of {} bytes does not fit: the device has {} bytes of "
                                  "memory, {} of them in use",
                                  bytes, room, used));
  }
}

}  // namespace vkmoye::vk
