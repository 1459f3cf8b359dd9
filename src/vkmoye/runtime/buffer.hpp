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

/// A range that extends to the end of the buffer.
inline constexpr std::uint64_t kToTheEnd = ~std::uint64_t{0};

/// Device-local memory of any number of bytes, initially undefined. Transfers through a staging buffer run after all
/// work that was submitted through the same Device. A mapped buffer (`is_mapped`) is read and written immediately:
/// first wait for the work that uses it. All offsets and sizes are in bytes. Move-only; a moved-from Buffer may only be
/// assigned to or destroyed. The memory outlives the Buffer while a Launch uses it. A Buffer may be used by one thread
/// at a time.
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

  /// Blocking. Both throw DeviceError, and ArgumentError if the range exceeds the buffer.
  void write(std::span<const std::byte> from, std::uint64_t offset = 0);
  void read(std::span<std::byte> to, std::uint64_t offset = 0) const;
  /// Sets `bytes` bytes, starting at `offset`, to `pattern`.
  void fill(std::byte pattern, std::uint64_t offset = 0, std::uint64_t bytes = kToTheEnd);

  const std::shared_ptr<vk::BufferState>& state() const { return state_; }  // for the runtime

 private:
  std::shared_ptr<vk::BufferState> state_;
};

/// A part of a buffer as a kernel's argument. A Buffer converts to a view of all of it; `view_of` (vulkan.hpp) makes
/// one of your own VkBuffer. `offset` is a multiple of DeviceCaps::storage_buffer_alignment. A Buffer must live until
/// a Launch has been made from the view, a VkBuffer until the device has finished using it.
struct BufferView {
  const Buffer* buffer = nullptr;  // null: the view is of `theirs`
  std::uint64_t theirs = 0;        // the handle of a VkBuffer
  std::uint64_t offset = 0;
  std::uint64_t bytes = kToTheEnd;

  /// `count` bytes of `whole`, starting at `from`.
  BufferView(const Buffer& whole, std::uint64_t from = 0,  // NOLINT: implicit on purpose
             std::uint64_t count = kToTheEnd)
      : buffer(&whole), offset(from), bytes(count) {}

  /// `bytes` bytes of the VkBuffer `handle`, starting at `from`; see view_of (vulkan.hpp).
  static BufferView of_handle(std::uint64_t handle, std::uint64_t from, std::uint64_t count) {
    return {handle, from, count};
  }

 private:
  BufferView(std::uint64_t handle, std::uint64_t from, std::uint64_t count)
      : theirs(handle), offset(from), bytes(count) {}
};

}  // namespace vkmoye
