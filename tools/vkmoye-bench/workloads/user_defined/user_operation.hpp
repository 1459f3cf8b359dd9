// SPDX-License-Identifier: MIT
#pragma once
// Converts an operation of a user (bench.hpp) to an Operation.

#include "vkmoye/bench/bench.hpp"
#include "workloads/operation.hpp"

namespace vkmoye::bench {

Operation user_operation(const OperationEntry& row);

}  // namespace vkmoye::bench
