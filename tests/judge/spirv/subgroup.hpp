// SPDX-License-Identifier: MIT
#pragma once
// Subgroup operations, performed when all lanes have reached one.
//
//   lanes with 3, 1, 4, 1     reduce +: 9 9 9 9     inclusive: 3 4 8 9     exclusive: 0 3 4 8
//                             shuffle xor 1: 1 3 1 4     ballot(x > 2): 0b0101 in each

#include <span>

#include "judge/spirv/invocation.hpp"

namespace vkmoye::judge::spirv {

/// Gives each lane its result and lets it continue. Precondition: all lanes, in order, wait at the same operation.
void execute_together(World& world, std::span<Invocation> lanes);

}  // namespace vkmoye::judge::spirv
