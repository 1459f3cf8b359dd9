// SPDX-License-Identifier: MIT
#pragma once
// Matrix products with matrix units: cooperative matrices of subgroups, tiles through shared memory.
//
//   C (M, N), n contiguous        one workgroup computes a tile of (bM, bN), over tiles of bK
//     A tile (bM, bK), B tile (bN, bK)      in shared memory, in the order of the buffers, padded
//     per step of k: WM / 16 + WN / 16 matrices are loaded, WM / 16 * WN / 16 products accumulated
//     subgroups that share a part of C divide the steps of a tile, and add their sums at the end
//     sums are stored directly to C; if they must be scaled, rounded, added to C, or cut off at an
//     edge, they go through shared memory
//
// The next tiles are prefetched into registers while these are multiplied. They stay in the vectors in
// which they were loaded, because unpacking them would wait for the loads. Interface: that of gemm.hpp.

#include <string>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/products/coopmat_config.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"

namespace vkmoye::gen {

/// Throws KernelError with every reason.
ir::Kernel gemm_coopmat(const GemmCoopmatConfig& config, const GemmForm& form,
                        const std::string& name = "gemm/coopmat");

}  // namespace vkmoye::gen
