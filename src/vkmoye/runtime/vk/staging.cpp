// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/vk/staging.hpp"

#include <algorithm>
#include <cstring>

namespace vkmoye::vk {

Staging::~Staging() {
  if (size_ != 0) memory_.destroy(block_);
}

void Staging::make_block(std::uint64_t bytes) {
  bytes = std::clamp(bytes, std::uint64_t{1} << 16, kBytes);
  if (size_ >= bytes) return;
  const BufferMemory larger = memory_.create_staging_buffer(bytes);
  if (size_ != 0) memory_.destroy(block_);
  block_ = larger;
  size_ = bytes;
}

void Staging::write(VkBuffer buffer, std::uint64_t offset, std::span<const std::byte> from,
                    const std::shared_ptr<const void>& keep) {
  const std::lock_guard lock(mutex_);
  make_block(from.size());
  while (!from.empty()) {
    const std::uint64_t bytes = std::min<std::uint64_t>(from.size(), size_);
    std::memcpy(block_.mapped, from.data(), bytes);
    memory_.flush(block_, 0, bytes);
    commands_.run(
        [&](VkCommandBuffer commands) {
          const VkBufferCopy region = {0, offset, bytes};
          vk_.CmdCopyBuffer(commands, block_.buffer, buffer, 1, &region);
        },
        keep);
    offset += bytes;
    from = from.subspan(bytes);
  }
}

void Staging::read(VkBuffer buffer, std::uint64_t offset, std::span<std::byte> to,
                   const std::shared_ptr<const void>& keep) {
  const std::lock_guard lock(mutex_);
  make_block(to.size());
  while (!to.empty()) {
    const std::uint64_t bytes = std::min<std::uint64_t>(to.size(), size_);
    commands_.run(
        [&](VkCommandBuffer commands) {
          const VkBufferCopy region = {offset, 0, bytes};
          vk_.CmdCopyBuffer(commands, buffer, block_.buffer, 1, &region);
        },
        keep);
    memory_.invalidate(block_, 0, bytes);
    std::memcpy(to.data(), block_.mapped, bytes);
    offset += bytes;
    to = to.subspan(bytes);
  }
}

}  // namespace vkmoye::vk
