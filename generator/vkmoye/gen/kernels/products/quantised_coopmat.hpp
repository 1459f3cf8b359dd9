// SPDX-License-Identifier: MIT
#pragma once
// Products of few rows with weights in blocks, as they lie in a GGUF file, in matrix units.
//
//   C (16,4096), q4_0: a workgroup has 16x32 of C, its 2 subgroups have parts of k
//     a subgroup    256 of 512 k: 16 matrices of A and of each 16 rows of B
//     a lane        2 blocks of each of its 4 rows of weights, 64 k, and the same k of its 2 rows of A
//     at the end    the sums of all subgroups are added through shared memory, see parts/accumulators.hpp
//
// A sum over k does not change if k is permuted in the same way in A and in B (dsl/fragment_lanes.hpp). So a lane reads
// whole blocks of its rows, decodes 8 weights at a time as they lie in their words, and takes the elements of A in the
// same order: nothing is exchanged between lanes. Each weight is decoded once for all rows of a tile of C.
//
// Interface: that of quantised.hpp. The config is that of thin_coopmat.hpp; `reads` counts blocks of the weight format.
// quantised_coopmat_config.cpp chooses and checks it.

#include "vkmoye/gen/kernels/products/thin_coopmat.hpp"

namespace vkmoye::gen {

/// The config for products of `form` and, if it is known, of `shape` (M, N, K) on `device`: for its matrices, with
/// their orders if those are known.
GemmThinCoopmatConfig quantised_coopmat_config(
    const GemmForm& form, const std::optional<std::vector<std::int64_t>>& shape,
    const DeviceCaps& device);

/// Every reason against `config` for `form`, except those of the orders.
std::vector<std::string> reasons_against_quantised(const GemmThinCoopmatConfig& config,
                                                   const GemmForm& form);

/// Why the orders of `config` cannot be used. Precondition: `reasons_against_quantised` is empty.
std::vector<std::string> reasons_against_orders_of_quantised(const GemmThinCoopmatConfig& config,
                                                             const GemmForm& form);

/// Throws KernelError with every reason.
ir::Kernel gemm_quantised_coopmat(const GemmThinCoopmatConfig& config, const GemmForm& form);

}  // namespace vkmoye::gen
