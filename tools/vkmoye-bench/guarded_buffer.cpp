#include "guarded_buffer.hpp"

#include <fmt/format.h>

#include <vector>

namespace vkmoye::bench {
namespace {

constexpr std::byte kGuard{0xa7};
constexpr std::byte kPoison{0xcd};

}  // namespace

GuardedBuffer::GuardedBuffer(Device& device, std::uint64_t bytes)
    : buffer_(device.buffer(bytes + 2 * kGuardBytes)), bytes_(bytes) {
  buffer_.fill(kGuard);
}

void GuardedBuffer::write(std::span<const std::byte> from, std::uint64_t offset) {
  buffer_.write(from, kGuardBytes + offset);
}

void GuardedBuffer::read(std::span<std::byte> to, std::uint64_t offset) const {
  buffer_.read(to, kGuardBytes + offset);
}

void GuardedBuffer::poison() { buffer_.fill(kPoison, kGuardBytes, bytes_); }

std::string GuardedBuffer::damage(const std::string& name) const {
  std::vector<std::byte> zone(kGuardBytes);
  buffer_.read(zone, 0);
  for (std::size_t i = 0; i < zone.size(); ++i) {
    if (zone[i] == kGuard) continue;
    return fmt::format("byte {} before the start of {} was overwritten", zone.size() - i, name);
  }
  buffer_.read(zone, kGuardBytes + bytes_);
  for (std::size_t i = 0; i < zone.size(); ++i) {
    if (zone[i] == kGuard) continue;
    return fmt::format("byte {} after the end of {} was overwritten", i, name);
  }
  return "";
}

}  // namespace vkmoye::bench
