// SPDX-License-Identifier: MIT
#pragma once
// One submission, waited for and timed.

#include <functional>
#include <memory>

#include "vkmoye/runtime/vk/context.hpp"

namespace vkmoye::vk {

/// Submits what `record` records, waits for it, and returns its time in microseconds, by the device's clock if it has
/// one, else by the host's. `keep` is not destroyed while the device may use it. Throws DeviceError, and what `record`
/// throws; nothing is submitted then.
double run_timed(Context& context, const std::function<void(VkCommandBuffer)>& record,
                 std::shared_ptr<const void> keep);

}  // namespace vkmoye::vk
