// SPDX-License-Identifier: MIT
#pragma once
// Matrix products without matrix units: one description for several configs.
//
//   C (M, N), n contiguous        one workgroup computes a tile of (bM, bN), over tiles of bK
//     A tile (bM, bK), B tile (bN, bK)      in shared memory, m and n contiguous
//     per k: a fragment of A and one of B   in registers, then VM * RM * VN * RN multiply-adds
//
//   moye_simple     copy, wait, multiply, wait                                     (MoYe.jl, matmul)
//   moye_prefetch   the next tiles are loaded into registers while these are multiplied  (MoYe.jl, TiledMMA)
//   simt            vectors of 16 bytes, two shared tiles, threads of a subgroup in a square
//
// Interface: bindings a, b, the inputs of the epilogue, c; push constants m, n, k, lda, ldb, ldc (the strides
// of the rows of the stored arrays), alpha and, if C is read, beta, then those of the epilogue; for a batch
// also batch, stride_a, stride_b, stride_c; for slices of k also slices and stride_c, of the sums that
// products/combine.hpp adds.

#include <string>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/products/simt_config.hpp"

namespace vkmoye::gen {

/// Throws KernelError with the reasons of reasons_against.
ir::Kernel gemm_simt(const GemmSimtConfig& config, const GemmForm& form, const std::string& name);

}  // namespace vkmoye::gen
