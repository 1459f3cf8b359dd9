// SPDX-License-Identifier: MIT
#pragma once
// Matrix products of views, divided among threads by a TiledMma.
//
// Worked example, threads (32,8) with one value each over tiles of 128 x 128 x 8, shapes:
//
//   partition_A(mma, sA (128,8), thread)     (1, 4, 8)     rows thread % 32 + 32 i, all 8 k
//   partition_B(mma, sB (128,8), thread)     (1, 16, 8)    rows thread / 32 + 8 j, all 8 k
//   partition_C(mma, gC (128,128), thread)   ((1,1), 4, 16)
//
// CuTe: ThrMMA (include/cute/atom/mma_atom.hpp). MoYe.jl: partition_A, partition_B, partition_C,
// gemm!, axpby!.

#include <optional>

#include "vkmoye/gen/dsl/view.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/tensor/tiled_mma.hpp"

namespace vkmoye::gen {

/// The rows of A (M, K, ..) that `thread` multiplies: (VM, repetitions of M, K, ..).
/// Throws LayoutError if the mma does not divide M or has a different number of threads.
View partition_A(const TiledMma& mma, const View& a, const Expr& thread);
/// The rows of B (N, K, ..): (VN, repetitions of N, K, ..).
View partition_B(const TiledMma& mma, const View& b, const Expr& thread);
/// The elements of C (M, N) that `thread` computes: ((VM, VN), repetitions of M, of N).
View partition_C(const TiledMma& mma, const View& c, const Expr& thread);

/// c(m, n) += a(m) * b(n). Preconditions: registers with the shapes above: a (VM, RM), b (VN, RN),
/// c ((VM,VN), RM, RN). Operands are converted to the type of c before they are multiplied.
/// Throws LayoutError if the shapes do not match.
ir::Titled gemm_statements(const ArrayView& a, const ArrayView& b, const ArrayView& c);

/// y(v) = alpha * x(v) + beta * y(v); without beta, y(v) = alpha * x(v) and y is not read.
/// Preconditions: x and y are registers of one shape; alpha and beta have one type, in which the sum
/// is computed: x and y are converted to it, the result to the type of y. Throws LayoutError if the
/// shapes differ.
ir::Titled axpby_statements(const Expr& alpha, const ArrayView& x, const std::optional<Expr>& beta,
                            const ArrayView& y);

}  // namespace vkmoye::gen
