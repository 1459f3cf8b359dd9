// SPDX-License-Identifier: MIT
#pragma once
// Fixes sizes of a kernel, so that the driver's compiler knows strides and trip counts: as numbers in the text, or as
// specialisation constants when the kernel is loaded.
//
//                        bake(copy, {{"cols", 4096}})       with_specialised_sizes(copy, {"cols"})
//   src[col + cols * row]  src[col + 4096 * row]              stays; layout(constant_id = 0) const uint cols = 1u
//   the argument cols      is removed                         stays: device.load(code, {{"cols", 4096}}) sets it
//   if (cols % 4 == 0)     is decided, and removed            stays, for the driver to decide
//   each size needs        a SPIR-V, and the generator        a pipeline: one SPIR-V serves all sizes
//   a size of 0            may be baked                       is refused when the kernel is loaded
//
// On an H200 matrix products become several percent faster when their sizes are numbers.

#include <string>
#include <vector>

#include "vkmoye/contract/kernel_interface.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// `kernel` with every argument of type u32 in `sizes` replaced by its value and removed from the interface.
/// Conditions that are then decided, by the sizes, the grid and the enclosing conditions, are removed: with cols 4096,
/// `if (32 * block + 31 < cols)`, because 4096 is a multiple of 32, and the grid ends there.
/// Throws ArgumentError with every reason: those of reasons_against_fixing, a value outside 0..2^32-1, a size that is a
/// specialisation constant, a shader written by hand, and an assumption that the numbers break.
ir::Kernel bake(const ir::Kernel& kernel, const Arguments& sizes);

/// `kernel` with the arguments `names`, of type u32, as specialisation constants; the constant_id of each is its place
/// in `names`. They are still arguments: the kernel is verified for all sizes, and runs on the host with their values
/// among the arguments. Throws ArgumentError with every reason: those of reasons_against_fixing, no name,
/// specialisation constants that it has already, a shader written by hand.
ir::Kernel with_specialised_sizes(const ir::Kernel& kernel, const std::vector<std::string>& names);

/// The arguments that can be fixed, in the order of the kernel: all sizes and strides that are not in a buffer.
std::vector<std::string> fixable_sizes(const ir::Kernel& kernel);

/// Why the sizes `names` cannot be fixed: one is named twice, is read from a buffer, or is not a size of any of
/// `kernels`, those of a plan. Empty if they can.
std::vector<std::string> reasons_against_fixing(const std::vector<std::string>& names,
                                                const std::vector<const ir::Kernel*>& kernels);

}  // namespace vkmoye::gen
