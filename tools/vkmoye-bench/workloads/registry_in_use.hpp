// SPDX-License-Identifier: MIT
#pragma once
// The kernels and operations that this program knows: ours, until others are put in their place.

#include <string>
#include <vector>

#include "vkmoye/bench/bench.hpp"

namespace vkmoye::bench {

/// Valid until the end of the program.
const Registry& registry_in_use();

/// Every reason why a program cannot have it; empty: it can.
std::vector<std::string> reasons_against(const Registry& registry);

/// Precondition: nothing is against it, and nobody asked for the one in use.
void use(Registry registry);

}  // namespace vkmoye::bench
