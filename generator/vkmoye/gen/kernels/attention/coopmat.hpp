// SPDX-License-Identifier: MIT
#pragma once
// Attention with matrix units: scores and weights stay in registers.
//
//   a workgroup    rows of q for each of its subgroups, as matrices in registers
//                  tiles of k and v through shared memory; the next ones wait in registers
//   a subgroup     scores = q k^T, weights = exp2(..), sums += weights v: three sets of matrices
//
// The lanes that hold a row of scores find its maximum by shuffles. Which lanes these are is a layout that a probe of
// the device finds; it may be any that dsl/matrix_values.hpp takes. If an operand has another order than a result, or
// an unknown one, weights go through shared memory. Interface: that of simt.hpp, for f16 and bf16.
// Source: FlashAttention-2 (Dao, 2023).

#include <string>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/attention/coopmat_config.hpp"

namespace vkmoye::gen {

/// Throws KernelError with every reason.
ir::Kernel attention_coopmat(const AttentionCoopmatConfig& config, const AttentionForm& form,
                             ScalarType type, const std::string& name = "attention/coopmat");

}  // namespace vkmoye::gen
