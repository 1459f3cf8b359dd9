// SPDX-License-Identifier: MIT
#pragma once
// Buffers and the memory behind them, through the Vulkan Memory Allocator. Only memory.cpp knows
// its types: none of them may be named where another file sees it.
//
// Device buffers lie in the largest device-local heap. Where a type of that heap is visible to the
// host (an integrated GPU, a CPU, a card whose whole memory is mapped) they stay mapped, and the
// host writes into them; where it is cached as well, the host also reads from them.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "vkmoye/runtime/vk/logical_device.hpp"

namespace vkmoye::vk {

struct Block {
  VkBuffer buffer = VK_NULL_HANDLE;
  void* allocation = nullptr;               // a VmaAllocation
  std::byte* mapped = nullptr;              // null: the host cannot reach it
  bool cached = false;                      // reading through `mapped` is quick
  std::uint64_t address = 0;                // on the device, where it has the feature
  std::shared_ptr<const void> pieces = {};  // of a buffer in several allocations, which it owns
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

  /// A storage buffer of `bytes` that can be copied from and to, and has an address where the device
  /// has the feature. Throws DeviceError (kOutOfMemory)
  /// with the numbers where the heap has no room, without having asked the driver: some drivers
  /// grant memory that does not exist. Beyond what one allocation may have it lies in several, bound
  /// through `commands`: `owner`, which has these, lives as long as the device may be binding it.
  Block create_device_buffer(std::uint64_t bytes, Commands& commands,
                             const std::shared_ptr<const void>& owner);

  /// A mapped buffer in cached host memory, for copies in both directions.
  Block create_staging_buffer(std::uint64_t bytes);

  void destroy(const Block& block) noexcept;

  /// What the host wrote becomes visible to work submitted later.
  void flush(const Block& block, std::uint64_t offset, std::uint64_t bytes);
  /// What the device wrote, and made available to the host, becomes readable.
  void invalidate(const Block& block, std::uint64_t offset, std::uint64_t bytes);

 private:
  void refuse_beyond_heap(std::uint64_t bytes);
  Block create_whole_or_in_pieces(std::uint64_t bytes, Commands& commands,
                                  const std::shared_ptr<const void>& owner);
  Block create_in_pieces(std::uint64_t bytes, VkBufferUsageFlags usage, Commands& commands,
                         const std::shared_ptr<const void>& owner);

  const LogicalDevice& device_;
  std::uint64_t most_at_once_ = 0;  // bytes of one allocation
  void* allocator_ = nullptr;       // a VmaAllocator
  std::uint32_t device_heap_ = 0;
  std::uint32_t device_types_ = 0;  // bit mask: memory types in which device buffers may lie
  bool direct_ = true;
  bool knows_budget_ = false;
  bool gives_addresses_ = false;
};

}  // namespace vkmoye::vk
