// SPDX-License-Identifier: MIT
#pragma once
// Memory on the device.
//
//   Buffer buffer = device.buffer(4096);
//   buffer.write(std::as_bytes(std::span(values)));
//   buffer.read(std::as_writable_bytes(std::span(values)));

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace vkmoye {

namespace vk {
struct BufferState;
}

/// Up to the end of the buffer.
inline constexpr std::uint64_t kToTheEnd = ~std::uint64_t{0};

/// Device-local storage, of any number of bytes, contents undefined at first. The host copies run
/// after all work that was submitted through the same Device where they are staged, but a mapped
/// buffer (`is_mapped`) is read and written immediately: wait for the work that uses it first. All
/// offsets and sizes are bytes. Move-only; a Buffer that was moved from may only be assigned to or
/// destroyed. The memory outlives the Buffer while a Launch uses it. One thread at a time per
/// Buffer.
class Buffer {
 public:
  /// Called by Device::buffer.
  explicit Buffer(std::shared_ptr<vk::BufferState> state);
  Buffer(Buffer&&) noexcept = default;
  Buffer& operator=(Buffer&&) noexcept = default;
  ~Buffer() = default;

  std::uint64_t bytes() const;
  /// Whether the host writes into it directly, without a copy on the device.
  bool is_mapped() const;

  /// Blocking. Throw ArgumentError where the range reaches beyond the buffer, DeviceError.
  void write(std::span<const std::byte> from, std::uint64_t offset = 0);
  void read(std::span<std::byte> to, std::uint64_t offset = 0) const;
  /// Sets `bytes` bytes from `offset` on to `pattern`.
  void fill(std::byte pattern, std::uint64_t offset = 0, std::uint64_t bytes = kToTheEnd);

  const std::shared_ptr<vk::BufferState>& state() const { return state_; }  // for the runtime

 private:
  std::shared_ptr<vk::BufferState> state_;
};

/// A part of a buffer as a kernel's argument; a whole Buffer becomes one by itself, a VkBuffer of yours
/// by `view_of` (vulkan.hpp). `offset` is a multiple of DeviceCaps::storage_buffer_alignment. A Buffer
/// must live until the view has been made into a Launch, a VkBuffer until the device is done with it.
struct BufferView {
  const Buffer* buffer = nullptr;  // null: `theirs` is meant
  std::uint64_t theirs = 0;        // the handle of a VkBuffer
  std::uint64_t offset = 0;
  std::uint64_t bytes = kToTheEnd;

  BufferView(const Buffer& whole, std::uint64_t from = 0,  // NOLINT: implicit by intent
             std::uint64_t count = kToTheEnd)
      : buffer(&whole), offset(from), bytes(count) {}

  /// `bytes` bytes from `from` on of the VkBuffer `handle`; see view_of (vulkan.hpp).
  static BufferView of_handle(std::uint64_t handle, std::uint64_t from, std::uint64_t count) {
    return {handle, from, count};
  }

 private:
  BufferView(std::uint64_t handle, std::uint64_t from, std::uint64_t count)
      : theirs(handle), offset(from), bytes(count) {}
};

}  // namespace vkmoye
