// SPDX-License-Identifier: MIT
#pragma once
// Whether two kernels are one: what is known of the first then holds for the second.
//
//   ir::Kernel copy = kernel;
//   identical(kernel, copy)                 true
//   copy.threads = 64;
//   identical(kernel, copy)                 false

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen::ir {

/// Every member is the same, `verified` aside; expressions are the same nodes, not only alike: an
/// expression that was built again differs.
bool identical(const Kernel& a, const Kernel& b);

}  // namespace vkmoye::gen::ir
