// SPDX-License-Identifier: MIT
#pragma once
// The registry entries of attention.

#include <vector>

#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {

std::vector<KernelEntry> attention_entries();

}  // namespace vkmoye::gen
