// SPDX-License-Identifier: MIT
#pragma once
// Sums, largest elements and their columns, the first k of them, softmax, norms, gates and rotary embedding, for the
// command line.
// rows/reference.hpp has their definitions.

#include "workloads/operation.hpp"

namespace vkmoye::bench {

Operation sum_operation();
Operation max_operation();
Operation softmax_operation();
Operation rms_norm_operation();
Operation residual_norm_operation();
Operation argmax_operation();
Operation topk_operation();
Operation gate_operation();
Operation rope_operation();

}  // namespace vkmoye::bench
