// SPDX-License-Identifier: MIT
#pragma once
// Whether a device does what it is told: some drivers compile for GPUs that are not there, accept
// every submit and do nothing.

#include "vkmoye/runtime/device.hpp"

namespace vkmoye::bench {

/// Runs a kernel whose result is known. Throws DeviceError (kNoDevice) where it left memory as it was;
/// what the driver throws.
void require_execution(Device& device);

}  // namespace vkmoye::bench
