// SPDX-License-Identifier: MIT
#pragma once
// Whether two kernels are the same, so that what was proved for the first holds for the second.
//
//   ir::Kernel copy = kernel;
//   identical(kernel, copy)                 true
//   copy.threads = 64;
//   identical(kernel, copy)                 false

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen::ir {

/// Whether all members except `verified` are equal, those of expressions too: a kernel that is described again is
/// identical to the first.
bool identical(const Kernel& a, const Kernel& b);

}  // namespace vkmoye::gen::ir
