// SPDX-License-Identifier: MIT
#pragma once
// The registry entries of matrix products.

#include <vector>

#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {

std::vector<KernelEntry> product_entries();

}  // namespace vkmoye::gen
