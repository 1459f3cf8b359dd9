// SPDX-License-Identifier: MIT
#pragma once
// The registry entries of copies and transposes: the variants of the tutorials, and the best kernel of
// each family.

#include <vector>

#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {

std::vector<KernelEntry> move_entries();

}  // namespace vkmoye::gen
