// SPDX-License-Identifier: MIT
#pragma once
// The kernel files that `emit --kernel` writes.

#include <string>

#include "commands/options.hpp"

namespace vkmoye::bench {

/// What `emit` with `options` would write to its kernel file: a kernel, or a plan. Precondition: `options.kernel_file`
/// is not empty, so that a plan without all its steps is refused. Throws what `emit` reports.
std::string emitted_kernel_file(const CommandOptions& options);

}  // namespace vkmoye::bench
