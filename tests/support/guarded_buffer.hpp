#pragma once
// A buffer that notices writes outside its payload. Drivers write past the end without a word.
//
//   guard 4 KiB | payload, poisoned | guard 4 KiB
//               ^ view() begins     ^ and reaches to here, so that an overrun is not cut off

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vkmoye/runtime/device.hpp"

namespace vkmoye::test {

class GuardedBuffer {
 public:
  static constexpr std::byte kGuard{0xa5};
  static constexpr std::byte kPoison{0xff};  // NaN as a float, -1 as an integer

  /// Payload of `bytes` bytes, all kPoison.
  GuardedBuffer(Device& device, std::uint64_t bytes);

  /// The payload and the guard behind it.
  BufferView view() const { return {buffer_, front_}; }

  void poison();
  void write(std::span<const std::byte> payload);
  std::vector<std::byte> read() const;

  /// "" if both guards are whole, else where the first damage is.
  std::string damage() const;

 private:
  std::uint64_t payload_;
  std::uint64_t front_;  // bytes of the guard before; a multiple of the device's alignment
  Buffer buffer_;
};

/// The payload as values of T.
template <class T>
std::vector<T> read_as(const GuardedBuffer& buffer) {
  const std::vector<std::byte> bytes = buffer.read();
  std::vector<T> values(bytes.size() / sizeof(T));
  std::copy_n(bytes.data(), values.size() * sizeof(T), reinterpret_cast<std::byte*>(values.data()));
  return values;
}

template <class T>
void write_as(GuardedBuffer& buffer, const std::vector<T>& values) {
  buffer.write(std::as_bytes(std::span(values)));
}

}  // namespace vkmoye::test
