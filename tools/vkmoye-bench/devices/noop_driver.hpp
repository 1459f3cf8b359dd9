// SPDX-License-Identifier: MIT
#pragma once
// Detects drivers that compile for absent GPUs, accept every submit and execute nothing.

#include "vkmoye/runtime/device.hpp"

namespace vkmoye::bench {

/// Runs a kernel with a known result. Throws DeviceError (kNoDevice) if it did not change memory, and errors of the
/// driver.
void require_execution(Device& device);

}  // namespace vkmoye::bench
