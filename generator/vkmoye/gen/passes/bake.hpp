// SPDX-License-Identifier: MIT
#pragma once
// Replaces run-time sizes by numbers: the same kernel, for one problem only.
//
//   bake(kernel, {{"cols", 4096}})
//     src[col + cols * row]        becomes   src[col + 4096 * row]
//     if (cols % 4 == 0) A else B  becomes   A
//     if (32 * block + 31 < cols)  is removed: 4096 is a multiple of 32, and the grid ends there
//
// The driver's compiler then knows every stride and trip count. On an H200 matrix products become several
// percent faster; the cost is a SPIR-V and a pipeline for each size. With specialised_sizes.hpp, one SPIR-V serves all.

#include "vkmoye/contract/kernel_interface.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// `kernel` with every argument of type u32 in `sizes` replaced by its value and removed from the interface.
/// Conditions that are then decided, by the sizes, the grid and the enclosing conditions, are removed.
/// Throws ArgumentError naming each size that is not an argument of the kernel or is outside 0..2^32-1.
ir::Kernel bake(const ir::Kernel& kernel, const Arguments& sizes);

}  // namespace vkmoye::gen
