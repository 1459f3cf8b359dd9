// SPDX-License-Identifier: MIT
#pragma once
// Prints a kernel as one readable GLSL 4.60 compute shader.
//
// Deterministic: equal kernels give equal bytes. The first lines are the config, the reason, and the version of vkmoye
// with the command that prints the shader again. A comment shows the layout of each shared array, constants are
// literals, and division by a power of two is a shift.
// Precondition: `verify(kernel)` is empty.

#include <string>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen::glsl {

/// The text of a kernel that was written by hand is returned unchanged.
std::string print(const ir::Kernel& kernel);

/// A single expression: `32u * group_x + (thread & 31u)`.
std::string print(const ir::Expr& expression);

}  // namespace vkmoye::gen::glsl
