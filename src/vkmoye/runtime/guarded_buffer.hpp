// SPDX-License-Identifier: MIT
#pragma once
// A buffer between two guards that no kernel may touch. Drivers let a kernel read and write past the
// end of a buffer without an error. Here a write changes a guard, and a read changes the result.
//
//   guard 4 KiB | payload, poisoned | guard 4 KiB
//               ^ view() begins     ^ and reaches to the end of the guard: an overrun is not cut off
//
//   GuardedBuffer dst(device, bytes);
//   device.run(kernel, {src.view(), dst.view()}, arguments);
//   assert(dst.damage() == "");
//
// Reads. A guard holds NaNs of every floating-point type, at the places where an array has its elements.
// As integers they are large or below zero, never 0 or 1. A sum or a product that takes one of them is
// wrong. A kernel whose arrays are bound as descriptors reaches the guard behind the payload; the guard
// before it is reached by device addresses, since an index of -1 lies 4 GiB away from a binding.
//
// Writes. The guards are not all 0xff bytes, although those are NaN as well: a kernel that writes NaN or
// -1 behind its array would then go unnoticed. The patterns here are neither all ones, nor the NaNs that
// processors make (0x7e00, 0x7fff, 0x7fc00000, 0x7fffffff and their like, of either sign). They differ from
// place to place and from buffer to buffer, so that a copy which overruns both of its arrays leaves a
// trace, too. One write may stay unseen: a single element of 8 bits, -1 or 127, at an odd offset.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "vkmoye/runtime/device.hpp"

namespace vkmoye {

class GuardedBuffer {
 public:
  /// The payload's bytes until they are written: NaN as a float, -1 as an integer. No guard holds it, so
  /// that an element that was left out can be told from one that was read from a guard.
  static constexpr std::byte kPoison{0xff};

  /// `bytes` of payload, all kPoison. Throws as Device::buffer.
  GuardedBuffer(Device& device, std::uint64_t bytes);

  /// Bytes of the buffer that holds a payload of `bytes` and its guards.
  static std::uint64_t allocated_bytes(const DeviceCaps& caps, std::uint64_t bytes);

  /// What a guard has at byte `at`, counted from the first byte of the payload (negative: before it).
  /// `seed` tells buffers apart.
  static std::byte guard_byte(std::int64_t at, std::uint64_t seed);

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
  std::uint64_t seed_;
};

}  // namespace vkmoye
