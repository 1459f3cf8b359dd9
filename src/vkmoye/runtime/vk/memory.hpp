// SPDX-License-Identifier: MIT
#pragma once
// Buffers and their memory, through the Vulkan Memory Allocator. Only memory.cpp may use its types.
//
// Device buffers are in the largest device-local heap. If a memory type of that heap is host-visible (on an integrated
// GPU, a CPU, or a GPU with resizable BAR), they stay mapped, and the host writes to them directly; if it is cached as
// well, the host also reads from them directly.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "vkmoye/runtime/vk/logical_device.hpp"

namespace vkmoye::vk {

struct BufferMemory {
  VkBuffer buffer = VK_NULL_HANDLE;
  void* allocation = nullptr;               // a VmaAllocation
  std::byte* mapped = nullptr;              // null: the host cannot access it
  bool cached = false;                      // reading through `mapped` is fast
  std::uint64_t address = 0;                // on the device, if it has the feature
  std::shared_ptr<const void> pieces = {};  // owns the allocations of a buffer that has several
};

class Commands;

/// Thread-safe.
class Memory {
 public:
  /// `direct` false: device buffers are never mapped.
  Memory(const Instance& instance, const PhysicalDevice& physical, const LogicalDevice& device,
         bool direct);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// A storage buffer of `bytes` that can be copied from and to, with an address if the device has the feature. Throws
  /// DeviceError (kOutOfMemory) with the numbers if the heap does not have enough memory, without calling the driver:
  /// some drivers return memory that does not exist. A buffer that exceeds the limit of one allocation has several,
  /// which are bound through `commands`; `owner`, which owns these, lives at least until the device has bound them.
  BufferMemory create_device_buffer(std::uint64_t bytes, Commands& commands,
                                    const std::shared_ptr<const void>& owner);

  /// A mapped buffer in cached host memory, for copies in both directions.
  BufferMemory create_staging_buffer(std::uint64_t bytes);

  void destroy(const BufferMemory& block) noexcept;

  /// Makes the writes of the host visible to work submitted later.
  void flush(const BufferMemory& block, std::uint64_t offset, std::uint64_t bytes);
  /// Makes the writes of the device, after a barrier to the host, readable.
  void invalidate(const BufferMemory& block, std::uint64_t offset, std::uint64_t bytes);

 private:
  void refuse_beyond_heap(std::uint64_t bytes);
  BufferMemory create_whole_or_in_pieces(std::uint64_t bytes, Commands& commands,
                                         const std::shared_ptr<const void>& owner);
  BufferMemory create_in_pieces(std::uint64_t bytes, VkBufferUsageFlags usage, Commands& commands,
                                const std::shared_ptr<const void>& owner);

  const LogicalDevice& device_;
  std::uint64_t max_allocation_bytes_ = 0;  // bytes of one allocation
  void* allocator_ = nullptr;               // a VmaAllocator
  std::uint32_t device_heap_ = 0;
  std::uint32_t device_types_ = 0;  // bit mask: memory types for device buffers
  bool direct_ = true;
  bool knows_budget_ = false;
  bool gives_addresses_ = false;
};

}  // namespace vkmoye::vk
