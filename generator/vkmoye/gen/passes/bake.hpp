// SPDX-License-Identifier: MIT
#pragma once
// Run-time sizes made numbers: the same kernel, for one problem only.
//
//   bake(kernel, {{"cols", 4096}})
//     src[col + cols * row]        becomes   src[col + 4096 * row]
//     if (cols % 4 == 0) A else B  becomes   A
//     if (32 * block + 31 < cols)  is gone: 4096 is a multiple of 32, and the grid ends there
//
// The driver's compiler then knows every stride and trip count. On an H200 a matrix product becomes
// faster by some percent; the price is a pipeline for each size.

#include "vkmoye/contract/kernel_interface.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// `kernel` with every argument of type u32 that `sizes` names replaced by its value, conditions
/// that this decides taken out (by the sizes, the grid and the conditions around), and those
/// arguments gone from its interface.
/// Throws ArgumentError naming each size that is no argument of the kernel or outside 0..2^32-1.
ir::Kernel bake(const ir::Kernel& kernel, const Arguments& sizes);

}  // namespace vkmoye::gen
