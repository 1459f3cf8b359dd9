// SPDX-License-Identifier: MIT
#pragma once
// What debuggers and profilers show of a kernel: its name and its config.
//
//   // generated: transpose/padded  type=f32  pad=1        the beginning of its text
//   transpose/padded type=f32 pad=1                        its label

#include <string>

#include "vkmoye/contract/compiled_kernel.hpp"

namespace vkmoye {

/// The name and, from the first comment of its text, the config. The name alone if the text does not begin like that,
/// for instance because a kernel file has none.
std::string label_of(const CompiledKernel& kernel);

}  // namespace vkmoye
