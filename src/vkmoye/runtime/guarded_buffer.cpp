// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/guarded_buffer.hpp"

#include <fmt/format.h>

#include <bit>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/round_up.hpp"
#include "vkmoye/runtime/vk/buffer_state.hpp"

namespace vkmoye {
namespace {

constexpr std::uint64_t kGuardBytes = 4096;

// A multiple of the alignment, so that the payload after it can be bound.
std::uint64_t front_bytes(const DeviceCaps& caps) {
  return round_up(kGuardBytes, caps.storage_buffer_alignment);
}

// The finalizer of SplitMix64: each bit of the result depends on each of `x`.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// `bytes` bytes of a guard, starting `from` bytes after the start of the payload.
std::vector<std::byte> guard_pattern(std::int64_t from, std::uint64_t bytes, std::uint64_t seed) {
  std::vector<std::byte> out(bytes);
  for (std::byte& byte : out) byte = GuardedBuffer::guard_byte(from++, seed);
  return out;
}

}  // namespace

std::uint64_t GuardedBuffer::allocated_bytes(const DeviceCaps& caps, std::uint64_t bytes) {
  return front_bytes(caps) + bytes + kGuardBytes;
}

// Two bytes, the lower one first, are 0x7f or 0xff above 0xc1 to 0xfe: a quiet NaN of binary16, of
// bfloat16 and, as the upper half, of binary32. The upper quarter of 8 bytes has 0xf9 to 0xfe, which makes
// it one of binary64.
std::byte GuardedBuffer::guard_byte(std::int64_t at, std::uint64_t seed) {
  const std::int64_t pair = at >> 1;
  const std::uint64_t random = mixed(seed + 0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(pair));
  if ((at & 1) != 0) return (random & 1) != 0 ? std::byte{0xff} : std::byte{0x7f};
  const bool is_upper_quarter = (pair & 3) == 3;
  const std::uint64_t min_byte = is_upper_quarter ? 0xf9 : 0xc1;
  return static_cast<std::byte>(min_byte + (random >> 1) % (0xff - min_byte));
}

GuardedBuffer::GuardedBuffer(Device& device, std::uint64_t bytes)
    : bytes_(bytes),
      front_(front_bytes(device.caps())),
      buffer_(device.buffer(allocated_bytes(device.caps(), bytes))),
      seed_(mixed(std::bit_cast<std::uint64_t>(buffer_.state()->block.buffer))) {
  const auto front = static_cast<std::int64_t>(front_);
  buffer_.write(guard_pattern(-front, front_, seed_), 0);
  buffer_.write(guard_pattern(static_cast<std::int64_t>(bytes_), kGuardBytes, seed_),
                front_ + bytes_);
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
  throw ArgumentError(fmt::format("{}: {} bytes at offset {} exceed a payload of {} bytes",
                                  operation, bytes, offset, bytes_));
}

void GuardedBuffer::read(std::span<std::byte> to, std::uint64_t offset) const {
  check_range("read", offset, to.size());
  buffer_.read(to, front_ + offset);
}

std::string GuardedBuffer::damage() const {
  const auto look = [&](const char* where, std::int64_t from, std::uint64_t bytes) -> std::string {
    const std::vector<std::byte> expected = guard_pattern(from, bytes, seed_);
    std::vector<std::byte> guard(bytes);
    buffer_.read(guard, front_ + static_cast<std::uint64_t>(from));
    for (std::size_t i = 0; i < guard.size(); ++i) {
      if (guard[i] != expected[i]) {
        return fmt::format("byte {} of the guard {} a payload of {} bytes became {:#04x}", i, where,
                           bytes_, std::to_integer<int>(guard[i]));
      }
    }
    return "";
  };
  std::string before = look("before", -static_cast<std::int64_t>(front_), front_);
  if (!before.empty()) return before;
  return look("after", static_cast<std::int64_t>(bytes_), kGuardBytes);
}

}  // namespace vkmoye
