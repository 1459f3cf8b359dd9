// SPDX-License-Identifier: MIT
#pragma once
// The kernels that keep matrices in registers (packed products, attention on matrix units) are only chosen for a device
// whose order of the elements among lanes is known. Vulkan does not say it: a small kernel finds it for each matrix.

#include <vector>
#include <vkmoye/contract/device_caps.hpp>

namespace llama {

/// The orders of all matrices of the device.
std::vector<vkmoye::FragmentOrder> matrix_orders(const vkmoye::DeviceCaps& caps);

}  // namespace llama
