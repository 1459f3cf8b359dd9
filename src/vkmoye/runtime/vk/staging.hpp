// SPDX-License-Identifier: MIT
#pragma once
// Copies between the host and buffers that it cannot access, or cannot read quickly, in pieces through one buffer in
// cached host memory.

#include <mutex>
#include <span>

#include "vkmoye/runtime/vk/commands.hpp"
#include "vkmoye/runtime/vk/memory.hpp"

namespace vkmoye::vk {

/// Thread-safe; copies take turns.
class Staging {
 public:
  static constexpr std::uint64_t kBytes = std::uint64_t{32} << 20;

  Staging(const DeviceTable& table, Memory& memory, Commands& commands)
      : vk_(table), memory_(memory), commands_(commands) {}
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Blocking. `keep` owns `buffer` and this.
  void write(VkBuffer buffer, std::uint64_t offset, std::span<const std::byte> from,
             const std::shared_ptr<const void>& keep);
  void read(VkBuffer buffer, std::uint64_t offset, std::span<std::byte> to,
            const std::shared_ptr<const void>& keep);

 private:
  void make_block(std::uint64_t bytes);

  const DeviceTable& vk_;
  Memory& memory_;
  Commands& commands_;
  std::mutex mutex_;
  BufferMemory block_;  // made at first use, as large as that and at most kBytes
  std::uint64_t size_ = 0;
};

}  // namespace vkmoye::vk
