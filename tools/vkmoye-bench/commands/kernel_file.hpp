// SPDX-License-Identifier: MIT
#pragma once
// run --kernel FILE --reference OPERATION: a kernel that was compiled elsewhere, by any compiler.

#include "commands/options.hpp"

namespace vkmoye::bench {

/// Verifies and times the kernel on arrays of the operation with the kernel's own types. Returns the exit status.
/// Throws Error.
int run_kernel_file(const CommandOptions& options);

}  // namespace vkmoye::bench
