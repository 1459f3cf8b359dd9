// SPDX-License-Identifier: MIT
#pragma once
// What a program with a VkDevice of its own does with Vulkan itself: instance, device, buffers of its own allocator,
// command buffers and timestamps. vkmoye adopts the device and records its kernels into the command buffers. The
// programs of between/ and llama/ share it.

#include <vk_mem_alloc.h>
#include <vulkan/vulkan.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>
#include <vkmoye/runtime/vulkan.hpp>

namespace own {

/// Throws std::runtime_error if `result` is not VK_SUCCESS.
void check(VkResult result, const char* what);

class Gpu {
 public:
  /// The instance, and the physical device of that number.
  explicit Gpu(std::uint32_t number);
  ~Gpu();
  Gpu(const Gpu&) = delete;

  /// Before the device is created: kernels are chosen for these, to which the program may add orders of matrices.
  const vkmoye::DeviceCaps& caps() const { return caps_; }
  vkmoye::DeviceCaps& caps() { return caps_; }
  /// Creates the device with what `kernels` need; vkmoye adopts it. `resident_groups`: see vkmoye::OpenOptions.
  void open(const std::vector<const vkmoye::KernelInterface*>& kernels,
            std::uint32_t resident_groups = 0);

  vkmoye::Device& device() { return *device_; }
  const vkmoye::FeatureSet& features() const { return features_; }  // enabled for the kernels
  VkDevice handle() const { return handle_; }
  VkQueue queue() const { return queue_; }
  std::uint32_t family() const { return family_; }
  VmaAllocator allocator() const { return allocator_; }

 private:
  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  std::uint32_t family_ = 0;
  vkmoye::DeviceCaps caps_;
  VkDevice handle_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  vkmoye::FeatureSet features_;
  VmaAllocator allocator_ = nullptr;
  std::unique_ptr<vkmoye::Device> device_;
};

/// A storage buffer: in the memory of the device and full of zeros, or mapped for the host.
class Array {
 public:
  Array(Gpu& gpu, std::uint64_t bytes, bool on_host);
  ~Array();
  Array(Array&& other) noexcept;
  Array& operator=(Array&&) = delete;

  std::uint64_t bytes() const { return bytes_; }
  VkBuffer handle() const { return buffer_; }
  vkmoye::BufferView view(std::uint64_t offset, std::uint64_t bytes) const {
    return vkmoye::view_of(buffer_, offset, bytes);
  }
  /// Waits until the bytes are on the device, from `offset` on.
  void write(std::span<const std::byte> bytes, std::uint64_t offset = 0);
  /// From an array on the host.
  void read(std::span<std::byte> bytes, std::uint64_t offset = 0) const;
  /// From any array; waits.
  std::vector<std::byte> download(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  void upload(std::span<const std::byte> bytes, std::uint64_t offset);

  Gpu* gpu_;
  std::uint64_t bytes_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VmaAllocation allocation_ = nullptr;
  void* mapped_ = nullptr;
};

/// A command buffer that is recorded once and may run any number of times.
class Commands {
 public:
  /// `marks`: the most timestamps.
  explicit Commands(Gpu& gpu, std::uint32_t marks = 0);
  ~Commands();
  Commands(const Commands&) = delete;

  VkCommandBuffer handle() const { return commands_; }
  /// A timestamp after what was recorded so far.
  void mark();
  /// The end of recording. The host sees what the commands wrote.
  void end();
  /// Submits the commands and waits for them.
  void run();
  /// Of the last run: the times between consecutive marks.
  std::vector<double> microseconds() const;

 private:
  Gpu& gpu_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  VkQueryPool queries_ = VK_NULL_HANDLE;
  std::uint32_t marks_ = 0;
};

}  // namespace own
