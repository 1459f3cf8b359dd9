// SPDX-License-Identifier: MIT
#pragma once
// Completes the arguments of a kernel whose arrays have no gaps.
//
//   gemm: a (k, m) with strides (1, lda), b (k, n) with (1, ldb), c (n, m) with (1, ldc)
//   with_compact_strides(gemm, {{"m", 64}, {"n", 32}, {"k", 16}, {"alpha", 1.0}})
//     adds lda = 16, ldb = 16, ldc = 32

#include "vkmoye/contract/kernel_interface.hpp"

namespace vkmoye {

/// Returns `arguments` with the values of specialised arguments that the kernel was loaded with, and with every missing
/// stride of a binding added: the product of the extents of the modes before it. If an extent for it is missing, throws
/// ArgumentError naming every argument that is missing, except strides, and every unknown one.
Arguments with_compact_strides(const KernelInterface& kernel, Arguments arguments);

}  // namespace vkmoye
