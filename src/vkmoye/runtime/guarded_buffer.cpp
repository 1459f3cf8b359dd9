// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/guarded_buffer.hpp"

#include <fmt/format.h>

#include <vector>

#include "vkmoye/base/error.hpp"

namespace vkmoye {
namespace {

constexpr std::uint64_t kGuardBytes = 4096;

std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// A multiple of the alignment, so that the payload behind it can be bound.
std::uint64_t front_bytes(const DeviceCaps& caps) {
  return round_up(kGuardBytes, caps.storage_buffer_alignment);
}

}  // namespace

std::uint64_t GuardedBuffer::allocated_bytes(const DeviceCaps& caps, std::uint64_t bytes) {
  return front_bytes(caps) + bytes + kGuardBytes;
}

GuardedBuffer::GuardedBuffer(Device& device, std::uint64_t bytes)
    : bytes_(bytes),
      front_(front_bytes(device.caps())),
      buffer_(device.buffer(allocated_bytes(device.caps(), bytes))) {
  buffer_.fill(kGuard);
  poison();
}

void GuardedBuffer::poison() { buffer_.fill(kPoison, front_, bytes_); }

void GuardedBuffer::write(std::span<const std::byte> from, std::uint64_t offset) {
  check_range("write", offset, from.size());
  buffer_.write(from, front_ + offset);
}

void GuardedBuffer::check_range(const char* operation, std::uint64_t offset,
                                std::uint64_t bytes) const {
  if (offset <= bytes_ && bytes <= bytes_ - offset) return;
  throw ArgumentError(fmt::format("{}: {} bytes at offset {} leave a payload of {} bytes",
                                  operation, bytes, offset, bytes_));
}

void GuardedBuffer::read(std::span<std::byte> to, std::uint64_t offset) const {
  check_range("read", offset, to.size());
  buffer_.read(to, front_ + offset);
}

std::string GuardedBuffer::damage() const {
  std::vector<std::byte> guard(front_);
  const auto look = [&](const char* where, std::uint64_t offset) -> std::string {
    buffer_.read(guard, offset);
    for (std::size_t i = 0; i < guard.size(); ++i) {
      if (guard[i] != kGuard) {
        return fmt::format("byte {} of the guard {} a payload of {} bytes became {:#04x}", i, where,
                           bytes_, std::to_integer<int>(guard[i]));
      }
    }
    return "";
  };
  if (std::string before = look("before", 0); !before.empty()) return before;
  guard.resize(kGuardBytes);
  return look("behind", front_ + bytes_);
}

}  // namespace vkmoye
