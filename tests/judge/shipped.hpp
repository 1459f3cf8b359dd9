// SPDX-License-Identifier: MIT
#pragma once
// Every kernel of the registry, in types that make it take different paths.

#include <vector>

#include "judge/subject.hpp"

namespace vkmoye::judge {

struct Shipped {
  Subject subject;
  std::size_t mutants, launches;  // few where one costs much
};

std::vector<Shipped> shipped_kernels();

}  // namespace vkmoye::judge
