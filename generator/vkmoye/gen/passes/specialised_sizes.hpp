// SPDX-License-Identifier: MIT
#pragma once
// Sizes as specialisation constants: one SPIR-V for all sizes, and a pipeline for each, in which the driver's compiler
// knows the size. `bake` (bake.hpp) needs a SPIR-V for each size instead, and with it the generator.
//
//   with_specialised_sizes(copy/simple, {"cols"})
//     layout(constant_id = 0) const uint cols = 1u;                               1u: until a value is given
//     layout(push_constant) uniform Arguments { uint rows, first_group_x, first_group_y; };
//
//   Pipeline copy = device.load(gen::compile(that), {{"cols", 4096}});
//   device.run(copy, {src, dst}, {{"rows", 7}});                                  with or without {"cols", 4096}
//
// The statements do not change, so conditions on sizes are still in the shader, and are left to the driver.

#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// `kernel` with the arguments `names`, of type u32, as specialisation constants; the constant_id of each is its place
/// in `names`. They are still arguments: the kernel is verified for all sizes, and runs on the host with their values
/// among the arguments. Throws ArgumentError with every reason: a name that is not a size of the kernel, is named
/// twice, or is read from a buffer; a kernel that has specialisation constants already, or whose shader was written by
/// hand.
ir::Kernel with_specialised_sizes(const ir::Kernel& kernel, const std::vector<std::string>& names);

/// The arguments that can be specialised, in the order of the kernel: all sizes and strides that are not in a buffer.
std::vector<std::string> specialisable_sizes(const ir::Kernel& kernel);

/// Why the names cannot be specialised: one is named twice, is read from a buffer, or is not a size of any of
/// `kernels`, those of a plan. Empty if they can.
std::vector<std::string> reasons_against_specialising(
    const std::vector<std::string>& names, const std::vector<const ir::Kernel*>& kernels);

}  // namespace vkmoye::gen
