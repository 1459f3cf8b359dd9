// SPDX-License-Identifier: MIT
#pragma once
// Sums, largest elements and their columns, the first k of them, softmax, norms, gates and rotary embedding, for the
// command line.
// rows/reference.hpp has their definitions.

#include "workloads/operation.hpp"

namespace vkmoye::bench {

Operation sums();
Operation largest_elements();
Operation softmaxes();
Operation norms();
Operation residual_norms();
Operation columns_of_largest();
Operation several_largest();
Operation gates();
Operation rotations();

}  // namespace vkmoye::bench
