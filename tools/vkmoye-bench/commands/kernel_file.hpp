// SPDX-License-Identifier: MIT
#pragma once
// run --kernel FILE --reference OPERATION: a kernel that was compiled elsewhere, perhaps by nobody's generator.

#include "commands/options.hpp"

namespace vkmoye::bench {

/// Verifies and times it on arrays of the operation, of the kernel's own types. Returns the exit status. Throws an
/// Error.
int run_kernel_file(const Given& given);

}  // namespace vkmoye::bench
