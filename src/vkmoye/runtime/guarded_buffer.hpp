// SPDX-License-Identifier: MIT
#pragma once
// A buffer between two zones that nobody may write, so that a kernel that does is detected: drivers
// write past the end of a buffer without an error.
//
//   guard 4 KiB | payload, poisoned | guard 4 KiB
//               ^ view() begins     ^ and reaches to here, so that an overrun is not cut off
//
//   GuardedBuffer dst(device, bytes);
//   device.run(kernel, {src.view(), dst.view()}, arguments);
//   assert(dst.damage() == "");

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "vkmoye/runtime/device.hpp"

namespace vkmoye {

class GuardedBuffer {
 public:
  static constexpr std::byte kGuard{0xa5};
  static constexpr std::byte kPoison{0xff};  // NaN as a float, -1 as an integer

  /// `bytes` of payload, all kPoison. Throws as Device::buffer.
  GuardedBuffer(Device& device, std::uint64_t bytes);

  /// Bytes of the buffer that holds a payload of `bytes` and its guards.
  static std::uint64_t allocated_bytes(const DeviceCaps& caps, std::uint64_t bytes);

  /// Bytes of the payload.
  std::uint64_t bytes() const { return bytes_; }

  /// The payload from byte `offset` on and the guard behind it: what a kernel is given.
  BufferView view(std::uint64_t offset = 0) const { return {buffer_, front_ + offset}; }
  /// The payload alone.
  BufferView payload() const { return {buffer_, front_, bytes_}; }

  void poison();

  /// `offset` counts from the start of the payload. Throw as Buffer's, also for what leaves it.
  void write(std::span<const std::byte> from, std::uint64_t offset = 0);
  void read(std::span<std::byte> to, std::uint64_t offset = 0) const;

  /// "" if both guards are intact, else where the first damage is.
  std::string damage() const;

 private:
  void check_range(const char* operation, std::uint64_t offset, std::uint64_t bytes) const;

  std::uint64_t bytes_;
  std::uint64_t front_;  // bytes of the guard before; a multiple of the device's alignment
  Buffer buffer_;
};

}  // namespace vkmoye
