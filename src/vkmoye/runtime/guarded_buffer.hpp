// SPDX-License-Identifier: MIT
#pragma once
// A buffer between guard words that no kernel may access. Drivers let a kernel read and write past the end of a
// buffer without an error. Here such a write changes a guard, and such a read changes the result.
//
//   guard 4 KiB | payload, poisoned | guard 4 KiB
//               ^ view() starts here and extends to the end of the guard, so that an overrun is not cut off
//
//   GuardedBuffer dst(device, bytes);
//   device.run(kernel, {src.view(), dst.view()}, arguments);
//   assert(dst.damage() == "");
//
// Reads. A guard contains NaNs of every floating-point type, at the offsets where an array has its elements. As
// integers they are large or negative, never 0 or 1. So a sum or product that reads one of them is wrong. Kernels whose
// arrays are bound as descriptors can only reach the guard after the payload; the guard before it is for kernels that
// use device addresses, because index -1 of a binding is 4 GiB away.
//
// Writes. The guards are not filled with 0xff bytes, although those are NaNs as well: a kernel that writes NaN or -1
// past its array would go unnoticed. The patterns are neither all ones nor the NaNs that processors produce (0x7e00,
// 0x7fff, 0x7fc00000, 0x7fffffff and similar ones, of either sign). They vary with the offset and the buffer, so that a
// copy that overruns both of its arrays is noticed, too. One kind of write can go unnoticed: a single 8-bit element, -1
// or 127, at an odd offset.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "vkmoye/runtime/device.hpp"

namespace vkmoye {

class GuardedBuffer {
 public:
  /// The initial bytes of the payload: NaN as a float, -1 as an integer. No guard contains it, so that an
  /// unwritten element can be distinguished from one that was read from a guard.
  static constexpr std::byte kPoison{0xff};

  /// A payload of `bytes`, all kPoison. Throws like Device::buffer.
  GuardedBuffer(Device& device, std::uint64_t bytes);

  /// The size of the buffer with a payload of `bytes` and its guards.
  static std::uint64_t allocated_bytes(const DeviceCaps& caps, std::uint64_t bytes);

  /// The byte of a guard at `at`, counted from the first byte of the payload (negative: before it). Buffers have
  /// different seeds.
  static std::byte guard_byte(std::int64_t at, std::uint64_t seed);

  /// The size of the payload.
  std::uint64_t bytes() const { return bytes_; }

  /// The payload, starting at byte `offset`, and the guard after it, for a kernel.
  BufferView view(std::uint64_t offset = 0) const { return {buffer_, front_ + offset}; }
  /// The payload without the guard after it.
  BufferView payload() const { return {buffer_, front_, bytes_}; }

  /// Fills the payload with kPoison.
  void poison();

  /// `offset` is relative to the start of the payload. Throw like those of Buffer, also if the range leaves the
  /// payload.
  void write(std::span<const std::byte> from, std::uint64_t offset = 0);
  void read(std::span<std::byte> to, std::uint64_t offset = 0) const;

  /// "" if both guards are intact, else a description of the first damage.
  std::string damage() const;

 private:
  void check_range(const char* operation, std::uint64_t offset, std::uint64_t bytes) const;

  std::uint64_t bytes_;
  // The bytes of the guard before the payload; a multiple of the alignment that the device requires.
  std::uint64_t front_;
  Buffer buffer_;
  std::uint64_t seed_;
};

}  // namespace vkmoye
