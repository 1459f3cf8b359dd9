// SPDX-License-Identifier: MIT
#pragma once
// Matrix products with matrix units: cooperative matrices of subgroups, tiles through shared memory.
//
//   C (M, N), n contiguous        one workgroup sums up a tile of (bM, bN) over tiles of bK
//     A tile (bM, bK), B tile (bN, bK)      in shared memory, in the order of the buffers, padded
//     per step of k: WM / 16 + WN / 16 matrices are loaded, WM / 16 * WN / 16 products summed up
//     subgroups that share a part of C divide the steps of a tile, and add up their sums at the end
//     sums are stored to C as they are; where they are scaled, rounded, added to what was there, or
//     hang over an edge, they go through shared memory
//
// The next tiles travel in registers while these are multiplied: in vectors as they came from memory,
// since whatever unpacked them would have to wait for them. Interface as that of gemm.hpp.

#include <string>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/products/coopmat_config.hpp"
#include "vkmoye/gen/kernels/products/form/form.hpp"

namespace vkmoye::gen {

/// Throws KernelError with every reason.
ir::Kernel gemm_coopmat(const GemmCoopmatConfig& config, const GemmForm& form,
                        const std::string& name = "gemm/coopmat");

}  // namespace vkmoye::gen
