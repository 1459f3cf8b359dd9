// SPDX-License-Identifier: MIT
#pragma once
// Prints a kernel as one GLSL 4.60 compute shader for a human reader.
//
// Deterministic: equal kernels give equal bytes. The first lines are the config and the reason,
// the layout stands beside each shared array, literals are baked, division by a power of two is a
// shift. Precondition: `verify(kernel)` is empty.

#include <string>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen::glsl {

std::string print(const ir::Kernel& kernel);

/// One expression, fully spelled: `32u * group_x + (thread & 31u)`.
std::string print(const ir::Expr& expression);

}  // namespace vkmoye::gen::glsl
