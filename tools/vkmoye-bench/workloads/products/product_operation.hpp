// SPDX-License-Identifier: MIT
#pragma once
// The operation of matrix products: its options and baselines.

#include "workloads/operation.hpp"

namespace vkmoye::bench {

Operation products();

}  // namespace vkmoye::bench
