// SPDX-License-Identifier: MIT
#pragma once
// Command buffers, and what has been submitted and not yet finished.
//
//   Lease lease = commands.lease();
//   commands.begin(*lease);
//   vk.CmdDispatch(lease->buffer, ...);
//   commands.end(*lease);
//   commands.submit(lease.slot(), keep);     // `keep` lives until the device is done with it
//   commands.wait(*lease);
//
// Everything submitted here runs after everything submitted here before, and sees what that wrote:
// a command buffer begins with a barrier. What a host wrote before the submit is seen as well.

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "vkmoye/runtime/values/submit_order.hpp"
#include "vkmoye/runtime/vk/logical_device.hpp"
#include "vkmoye/runtime/vk/owned.hpp"

namespace vkmoye::vk {

/// A command buffer that is recorded by one thread at a time.
struct Slot {
  Owned<VkCommandPool> pool;
  VkCommandBuffer buffer = VK_NULL_HANDLE;
  Owned<VkFence> fence;
  Owned<VkQueryPool> timestamps;  // two; null where the device has none

  // Guarded by the mutex of Commands.
  bool in_flight = false;
  std::uint64_t value = 0;  // the timeline's value once the last submission has finished
  bool abandoned = false;   // no one will wait; reused once its fence is signalled
  std::shared_ptr<const void> keep;
};

/// Locks the queue. Either both are set, or neither; then a mutex of the Device locks it.
struct QueueLock {
  std::function<void()> lock, unlock;
};

class Commands;

/// The use of a slot, given back by the destructor; a slot in flight once it has finished.
class Lease {
 public:
  Lease(Commands& commands, std::shared_ptr<Slot> slot)
      : commands_(&commands), slot_(std::move(slot)) {}
  Lease(Lease&&) = default;
  Lease& operator=(Lease&&) = delete;
  ~Lease();

  const std::shared_ptr<Slot>& slot() const { return slot_; }
  Slot& operator*() const { return *slot_; }
  Slot* operator->() const { return slot_.get(); }

 private:
  Commands* commands_;
  std::shared_ptr<Slot> slot_;
};

/// Thread-safe; a slot belongs to the thread that leased it.
class Commands {
 public:
  /// Throws DeviceError.
  Commands(const LogicalDevice& device, std::uint32_t queue_family, bool timestamps,
           QueueLock queue_lock, double wait_seconds);
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;

  Lease lease();
  /// Starts a new recording. `reusable`: it may be submitted several times.
  void begin(Slot& slot, bool reusable = false);
  void end(Slot& slot);
  /// `order` is in addition to the timeline of the Device. Precondition: if it has points, the device has timeline
  /// semaphores.
  void submit(const std::shared_ptr<Slot>& slot, std::shared_ptr<const void> keep,
              const SubmitOrder& order = {});
  /// Reaches the value of a slot once that slot's submission has finished; null: the device has no timelines.
  VkSemaphore timeline() const { return timeline_.get(); }
  /// Binds memory to a buffer, and waits. `keep` is not destroyed while the device may use it.
  void bind(const VkSparseBufferMemoryBindInfo& buffer, std::shared_ptr<const void> keep);
  /// Whether the slot's last submission has finished. Throws DeviceError (kLost).
  bool is_done(Slot& slot);
  /// Waits for the slot's last submission, at most as long as the constructor's limit. Throws
  /// DeviceError: kLost, or a timeout, after which nothing is accepted any more and nothing that
  /// the device may still use is destroyed.
  void wait(Slot& slot);
  /// Waits for all work in flight; after a timeout, it only checks what has finished, and leaves the rest
  /// alone.
  void drain() noexcept;

  /// lease, begin, `record(buffer)`, end, submit, wait.
  void run(const std::function<void(VkCommandBuffer)>& record, std::shared_ptr<const void> keep);

 private:
  friend class Lease;
  std::shared_ptr<Slot> make_slot();
  // Calls `call`, named `name`, which gives the queue work that ends with the slot's fence.
  void enqueue(const std::shared_ptr<Slot>& slot, std::shared_ptr<const void> keep,
               const char* name, const std::function<VkResult(VkQueue, VkFence)>& call);
  void give_back(std::shared_ptr<Slot> slot) noexcept;
  void mark_finished(Slot& slot) noexcept;
  void wait_for_timeline() noexcept;
  void refuse_if_stuck() const;

  const LogicalDevice& device_;
  const DeviceTable& vk_;
  std::uint32_t queue_family_;
  bool timestamps_;
  QueueLock queue_lock_;
  double wait_seconds_;
  std::mutex queue_mutex_;
  Owned<VkSemaphore> timeline_;
  std::uint64_t timeline_value_ = 0;  // of the last submission; guarded by the queue lock
  std::atomic<bool> stuck_ = false;

  std::mutex mutex_;
  std::vector<std::shared_ptr<Slot>> idle_;
  std::vector<std::shared_ptr<Slot>> in_flight_;
};

}  // namespace vkmoye::vk
