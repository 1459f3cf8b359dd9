// SPDX-License-Identifier: MIT
#pragma once
// What a submission waits for and what it signals.

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <vector>

namespace vkmoye {

/// A value of a timeline semaphore, yours or the Device's.
struct TimelinePoint {
  VkSemaphore semaphore;
  std::uint64_t value;
};

/// What a submission waits for before it starts, and what it signals when it has finished. It sees everything that
/// was written before the points it waits for; whoever waits for the signal sees its writes.
struct SubmitOrder {
  std::vector<TimelinePoint> wait = {}, signal = {};
};

}  // namespace vkmoye
