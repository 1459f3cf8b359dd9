#pragma once
// A buffer between two zones that nobody may write, so that a kernel which does is found out.
//
//   | 4 KiB guard | payload | 4 KiB guard |
//                 |<------- view ------->|
//
// The second zone is inside the kernel's binding: no bounds check of a driver can hide an overrun.

#include <cstddef>
#include <cstdint>
#include <string>

#include "vkmoye/runtime/device.hpp"

namespace vkmoye::bench {

class GuardedBuffer {
 public:
  /// `bytes` of payload; both zones are written here. Throws as Device::buffer.
  GuardedBuffer(Device& device, std::uint64_t bytes);

  std::uint64_t bytes() const { return bytes_; }
  /// What a kernel is given, and the payload alone.
  BufferView view() const { return {buffer_, kGuardBytes, bytes_ + kGuardBytes}; }
  BufferView payload() const { return {buffer_, kGuardBytes, bytes_}; }

  /// Offsets count from the start of the payload.
  void write(std::span<const std::byte> from, std::uint64_t offset = 0);
  void read(std::span<std::byte> to, std::uint64_t offset = 0) const;

  /// Every byte of the payload becomes one that a test for "never written" can recognise.
  void poison();

  /// "" or which byte of which zone was overwritten: "byte 12 after the end of dst was overwritten".
  std::string damage(const std::string& name) const;

 private:
  static constexpr std::uint64_t kGuardBytes = 4096;  // a multiple of every storage_buffer_alignment

  Buffer buffer_;
  std::uint64_t bytes_;
};

}  // namespace vkmoye::bench
