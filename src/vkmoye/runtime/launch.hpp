// SPDX-License-Identifier: MIT
#pragma once
// A kernel with its buffers and arguments, checked and ready to run any number of times.

#include <cstdint>
#include <memory>

#include "vkmoye/runtime/buffer.hpp"
#include "vkmoye/runtime/pipeline.hpp"

namespace vkmoye {

namespace vk {
struct Context;
struct LaunchState;
class Lease;
}  // namespace vk

/// Immutable; copies share it. Thread-safe. Made by Device::prepare. Keeps the memory of its buffers alive.
class Launch {
 public:
  /// Called by Device::prepare.
  explicit Launch(std::shared_ptr<const vk::LaunchState> state);

  const std::shared_ptr<const vk::LaunchState>& state() const { return state_; }  // for the runtime

 private:
  std::shared_ptr<const vk::LaunchState> state_;
};

/// Submitted work. The destructor does not wait. Must not be used after its Device was destroyed. May be used by one
/// thread at a time.
class Pending {
 public:
  /// Called by submit (vulkan.hpp).
  Pending(std::shared_ptr<vk::Context> context, std::unique_ptr<vk::Lease> lease);
  Pending(Pending&&) noexcept;
  Pending& operator=(Pending&&) = delete;
  ~Pending();

  /// Whether it has finished. Throws DeviceError.
  bool is_done() const;
  /// Waits, at most OpenOptions::wait_seconds. Throws DeviceError.
  void wait();
  /// The value of the Device's timeline semaphore when the work has finished; each submission has a larger value than
  /// the one before. 0: the device has no timeline semaphores. See point_of (vulkan.hpp).
  std::uint64_t value() const;

  const std::shared_ptr<vk::Context>& context() const { return context_; }  // for the runtime

 private:
  std::shared_ptr<vk::Context> context_;
  std::unique_ptr<vk::Lease> lease_;
};

}  // namespace vkmoye
