// SPDX-License-Identifier: MIT
#pragma once
// Whether the exact values of a kernel (ir::Let::exact) are the same on all devices that round as Vulkan asks.
//
//   let_exact("low", a - high)                    each operation rounds once
//   let_exact("rest", multiply_add(a, b, -p))     refused: devices fuse it or not, and no SPIR-V forbids either
//   let_exact("next", thread + 1)                 refused: an index is not rounded

#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// One reason for each exact value that is not floating, or contains a multiply_add.
std::vector<std::string> check_exact_values(const ir::Kernel& kernel);

}  // namespace vkmoye::gen
