// SPDX-License-Identifier: MIT
#pragma once
// Operations of others: a row of bench.hpp as a row of ours.

#include "vkmoye/bench/bench.hpp"
#include "workloads/operation.hpp"

namespace vkmoye::bench {

Operation own_operation(const OperationRow& row);

}  // namespace vkmoye::bench
