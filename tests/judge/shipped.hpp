// SPDX-License-Identifier: MIT
#pragma once
// Every kernel of the registry, in types that use different code paths.

#include <vector>

#include "judge/judged_kernel.hpp"

namespace vkmoye::judge {

struct Shipped {
  Subject subject;
  std::size_t mutants, launches;  // few if a single one is expensive
};

std::vector<Shipped> shipped_kernels();

}  // namespace vkmoye::judge
