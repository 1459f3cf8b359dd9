// SPDX-License-Identifier: MIT
#pragma once
// Converts an operation of a user (bench.hpp) to an Operation.

#include "vkmoye/bench/bench.hpp"
#include "workloads/operation.hpp"

namespace vkmoye::bench {

/// The operation that `entry` describes.
Operation user_operation(const OperationEntry& entry);

}  // namespace vkmoye::bench
