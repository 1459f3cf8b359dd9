// SPDX-License-Identifier: MIT
#pragma once
// The registry's rows of copies and transposes: the ladders of the tutorials, each with the best
// behind it.

#include <vector>

#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {

std::vector<KernelEntry> move_entries();

}  // namespace vkmoye::gen
