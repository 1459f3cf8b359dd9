// SPDX-License-Identifier: MIT
#pragma once
// The kernels and operations of this program: those of vkmoye, unless `use` sets others.

#include <string>
#include <vector>

#include "vkmoye/bench/bench.hpp"

namespace vkmoye::bench {

/// Valid until the end of the program.
const Registry& registry_in_use();

/// Every reason why the registry is invalid; empty: it is valid.
std::vector<std::string> reasons_against(const Registry& registry);

/// Replaces the registry in use. Preconditions: it is valid, and registry_in_use() was not called before.
void use(Registry registry);

}  // namespace vkmoye::bench
