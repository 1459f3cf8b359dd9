// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/vk/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/vk/barriers.hpp"
#include "vkmoye/runtime/vk/check.hpp"

namespace vkmoye::vk {

Lease::~Lease() {
  if (slot_) commands_->give_back(std::move(slot_));
}

Commands::Commands(const LogicalDevice& device, std::uint32_t queue_family, bool timestamps,
                   QueueLock queue_lock, double wait_seconds)
    : device_(device),
      vk_(device.table()),
      queue_family_(queue_family),
      timestamps_(timestamps),
      queue_lock_(std::move(queue_lock)),
      wait_seconds_(wait_seconds) {
  if (!queue_lock_.lock) {
    queue_lock_.lock = [this] { queue_mutex_.lock(); };
    queue_lock_.unlock = [this] { queue_mutex_.unlock(); };
  }
  if (!device.has_timelines()) return;
  VkSemaphoreTypeCreateInfo type = {};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  timeline_ = create<VkSemaphore>("vkCreateSemaphore", device.handle(), vk_.CreateSemaphore,
                                  vk_.DestroySemaphore, info);
}

Lease Commands::lease() {
  refuse_if_stuck();
  std::vector<std::shared_ptr<const void>> released;  // destroyed after the mutex is free
  std::shared_ptr<Slot> slot;
  {
    const std::lock_guard lock(mutex_);
    for (auto it = in_flight_.begin(); it != in_flight_.end();) {
      Slot& candidate = **it;
      if (candidate.abandoned &&
          vk_.GetFenceStatus(device_.handle(), candidate.fence.get()) == VK_SUCCESS) {
        candidate.in_flight = candidate.abandoned = false;
        released.push_back(std::exchange(candidate.keep, nullptr));
        idle_.push_back(std::move(*it));
        it = in_flight_.erase(it);
      } else {
        ++it;
      }
    }
    if (!idle_.empty()) {
      slot = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!slot) slot = make_slot();
  return Lease(*this, std::move(slot));
}

std::shared_ptr<Slot> Commands::make_slot() {
  const VkDevice device = device_.handle();
  auto slot = std::make_shared<Slot>();
  VkCommandPoolCreateInfo pool = {};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.queueFamilyIndex = queue_family_;
  slot->pool = create<VkCommandPool>("vkCreateCommandPool", device, vk_.CreateCommandPool,
                                     vk_.DestroyCommandPool, pool);
  VkCommandBufferAllocateInfo buffer = {};
  buffer.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  buffer.commandPool = slot->pool.get();
  buffer.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  buffer.commandBufferCount = 1;
  check(vk_.AllocateCommandBuffers(device, &buffer, &slot->buffer), "vkAllocateCommandBuffers");
  VkFenceCreateInfo fence = {};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  slot->fence = create<VkFence>("vkCreateFence", device, vk_.CreateFence, vk_.DestroyFence, fence);
  if (timestamps_) {
    VkQueryPoolCreateInfo queries = {};
    queries.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
    queries.queryCount = 2;
    slot->timestamps = create<VkQueryPool>("vkCreateQueryPool", device, vk_.CreateQueryPool,
                                           vk_.DestroyQueryPool, queries);
  }
  return slot;
}

void Commands::begin(Slot& slot, bool reusable) {
  check(vk_.ResetCommandPool(device_.handle(), slot.pool.get(), 0), "vkResetCommandPool");
  VkCommandBufferBeginInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  if (!reusable) info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  check(vk_.BeginCommandBuffer(slot.buffer, &info), "vkBeginCommandBuffer");
  order_device_work(vk_, slot.buffer);
}

void Commands::end(Slot& slot) {
  publish_to_host(vk_, slot.buffer);
  check(vk_.EndCommandBuffer(slot.buffer), "vkEndCommandBuffer");
}

namespace {

// `points` in the form of vkQueueSubmit: semaphores and values in separate arrays.
struct Apart {
  std::vector<VkSemaphore> semaphores;
  std::vector<std::uint64_t> values;

  explicit Apart(const std::vector<TimelinePoint>& points) {
    for (const TimelinePoint& point : points) add(point);
  }
  void add(const TimelinePoint& point) {
    semaphores.push_back(point.semaphore);
    values.push_back(point.value);
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(values.size()); }
};

}  // namespace

void Commands::submit(const std::shared_ptr<Slot>& slot, std::shared_ptr<const void> keep,
                      const SubmitOrder& order) {
  const Apart wait(order.wait);
  Apart signal(order.signal);
  if (timeline_) signal.add({timeline_.get(), 0});  // its value is set when the queue is locked
  const std::vector<VkPipelineStageFlags> stages(wait.count(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  VkTimelineSemaphoreSubmitInfo timelines = {};
  timelines.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  timelines.waitSemaphoreValueCount = wait.count();
  timelines.pWaitSemaphoreValues = wait.values.data();
  timelines.signalSemaphoreValueCount = signal.count();
  timelines.pSignalSemaphoreValues = signal.values.data();
  VkSubmitInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  if (timeline_) info.pNext = &timelines;
  info.waitSemaphoreCount = wait.count();
  info.pWaitSemaphores = wait.semaphores.data();
  info.pWaitDstStageMask = stages.data();
  info.commandBufferCount = 1;
  info.pCommandBuffers = &slot->buffer;
  info.signalSemaphoreCount = signal.count();
  info.pSignalSemaphores = signal.semaphores.data();
  enqueue(slot, std::move(keep), "vkQueueSubmit", [&](VkQueue queue, VkFence fence) {
    if (timeline_) signal.values.back() = timeline_value_ + 1;
    const VkResult result = vk_.QueueSubmit(queue, 1, &info, fence);
    if (timeline_ && result == VK_SUCCESS) slot->value = ++timeline_value_;
    return result;
  });
}

void Commands::bind(const VkSparseBufferMemoryBindInfo& buffer, std::shared_ptr<const void> keep) {
  VkBindSparseInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO;
  info.bufferBindCount = 1;
  info.pBufferBinds = &buffer;
  const Lease slot = lease();
  enqueue(slot.slot(), std::move(keep), "vkQueueBindSparse", [&](VkQueue queue, VkFence fence) {
    return vk_.QueueBindSparse(queue, 1, &info, fence);
  });
  wait(*slot);
}

void Commands::enqueue(const std::shared_ptr<Slot>& slot, std::shared_ptr<const void> keep,
                       const char* name, const std::function<VkResult(VkQueue, VkFence)>& call) {
  refuse_if_stuck();
  const VkFence fence = slot->fence.get();
  check(vk_.ResetFences(device_.handle(), 1, &fence), "vkResetFences");
  {
    const std::lock_guard lock(mutex_);  // before the submit, since it may throw
    in_flight_.push_back(slot);
    slot->in_flight = true;
    slot->keep = std::move(keep);
  }
  queue_lock_.lock();
  const VkResult result = call(device_.queue(), fence);
  queue_lock_.unlock();
  if (result != VK_SUCCESS) {
    mark_finished(*slot);
    fail(result, name);
  }
}

namespace {

// As vkWaitForFences takes it: the largest number means no limit.
std::uint64_t nanoseconds(double seconds) {
  const double count = seconds * 1e9;
  return count < 0x1p64 ? static_cast<std::uint64_t>(count) : UINT64_MAX;
}

}  // namespace

bool Commands::is_done(Slot& slot) {
  {
    const std::lock_guard lock(mutex_);
    if (!slot.in_flight) return true;
  }
  const VkResult result = vk_.GetFenceStatus(device_.handle(), slot.fence.get());
  if (result == VK_NOT_READY) return false;
  if (result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST) mark_finished(slot);
  check(result, "vkGetFenceStatus");
  return true;
}

void Commands::wait(Slot& slot) {
  {
    const std::lock_guard lock(mutex_);
    if (!slot.in_flight) return;
  }
  const VkFence fence = slot.fence.get();
  const VkResult result =
      vk_.WaitForFences(device_.handle(), 1, &fence, VK_TRUE, nanoseconds(wait_seconds_));
  // A lost device uses nothing any more; after another error drain() queries again.
  if (result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST) mark_finished(slot);
  if (result == VK_TIMEOUT) {
    stuck_ = true;
    throw DeviceError(DeviceError::Kind::kLost,
                      fmt::format("vkWaitForFences(...) -> VK_TIMEOUT: the device did not finish "
                                  "within {} s",
                                  wait_seconds_));
  }
  check(result, "vkWaitForFences");
}

void Commands::drain() noexcept {
  std::vector<std::shared_ptr<Slot>> waiting;
  {
    const std::lock_guard lock(mutex_);
    waiting = in_flight_;
  }
  for (const auto& slot : waiting) {
    // An error other than a loss or a timeout says nothing about the work, so it is queried again.
    for (int tries = 0; tries < 3; ++tries) {
      try {
        if (stuck_) {
          is_done(*slot);
        } else {
          wait(*slot);
        }
        break;
      } catch (...) {  // lost or stuck: wait() has decided what can be released
      }
    }
  }
  wait_for_timeline();
}

// Mesa's lavapipe signals the fence of a submission before it enters the signal of its semaphore, and leaks what it
// enters after vkDestroySemaphore. So the semaphore is waited for as well; by then the device is idle.
void Commands::wait_for_timeline() noexcept {
  const std::lock_guard lock(mutex_);
  if (!timeline_ || timeline_value_ == 0 || !in_flight_.empty()) return;
  const VkSemaphore semaphore = timeline_.get();
  VkSemaphoreWaitInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &semaphore;
  info.pValues = &timeline_value_;
  vk_.WaitSemaphores(device_.handle(), &info, nanoseconds(1));  // errors are ignored
}

void Commands::run(const std::function<void(VkCommandBuffer)>& record,
                   std::shared_ptr<const void> keep) {
  const Lease slot = lease();
  begin(*slot);
  record(slot->buffer);
  end(*slot);
  submit(slot.slot(), std::move(keep));
  wait(*slot);
}

void Commands::give_back(std::shared_ptr<Slot> slot) noexcept {
  const std::lock_guard lock(mutex_);
  if (slot->in_flight) {
    slot->abandoned = true;
  } else {
    try {
      idle_.push_back(std::move(slot));
    } catch (...) {  // not enough memory to keep it: destroyed instead
    }
  }
}

void Commands::mark_finished(Slot& slot) noexcept {
  std::shared_ptr<const void> keep;  // destroyed after the mutex is free
  std::shared_ptr<Slot> self;
  const std::lock_guard lock(mutex_);
  slot.in_flight = false;
  keep = std::exchange(slot.keep, nullptr);
  const auto found = std::find_if(in_flight_.begin(), in_flight_.end(),
                                  [&](const auto& other) { return other.get() == &slot; });
  if (found != in_flight_.end()) {
    self = std::move(*found);
    in_flight_.erase(found);
  }
}

void Commands::refuse_if_stuck() const {
  if (stuck_) {
    throw DeviceError(DeviceError::Kind::kLost,
                      "the device is no longer used: an earlier submission did not finish");
  }
}

}  // namespace vkmoye::vk
