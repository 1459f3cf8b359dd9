// SPDX-License-Identifier: MIT
#pragma once
// Products of operands that lie in fragment order, without shared memory on their way.
//
//   C (M, N), n contiguous             a workgroup sums up 2x2 parts of C, one for each subgroup
//     a part: 64 x 64                  4 x 4 matrices of sums
//     a step of k: 16                  a lane reads 16 bytes for each of 4 + 4 matrices, 512 bytes side
//                                      by side for a subgroup, while the step before is multiplied
//
// Subgroups may share a part of C: with 2x2x2 of them, one has the even blocks of k, one the odd ones,
// and their sums are added up through shared memory at the end. So few parts of C fill a device with
// fewer slices of k, whose sums are written and read once more.
//
// Bindings a, b (blocks as in packed_form.hpp), what the epilogue reads, c. Arguments: m, n, k, ldc,
// alpha, beta as in gemm.hpp; k_blocks, a_blocks, b_blocks: blocks along k and along the rows of a and
// b, of all matrices of a batch; a_step, b_step: from one matrix of a batch to the next, blocks of
// rows; batch, slices, stride_c.

#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/form/form.hpp"
#include "vkmoye/gen/kernels/products/fragments/packed_form.hpp"
#include "vkmoye/gen/kernels/products/parts/subgroups.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {

struct GemmPackedConfig : GemmSubgroups {
  std::int64_t part_m = 64, part_n = 64;  // of C for one subgroup
  std::int64_t shared_bytes = 49152;      // of shared memory, at most
  bool words = true;                      // what is read ahead waits as words, else as matrices
  std::int64_t steps = 2;                 // of k in a block of an operand: even
  std::int64_t strip = 16;  // rows of tiles that workgroups walk down before they step aside

  std::int64_t tile_m() const { return part_m * subgroups_m; }
  std::int64_t tile_n() const { return part_n * subgroups_n; }
};

/// The config for products of `form` on `device`: its matrices and subgroups; where it has no such
/// matrices, as if it had the usual ones.
GemmPackedConfig gemm_packed_config(const GemmForm& form, const DeviceCaps& device);

/// What of the config `--NAME` can replace.
const std::vector<ConfigField<GemmPackedConfig>>& gemm_packed_fields();

/// The config that a request means. Throws KernelError for options that cannot be read.
GemmPackedConfig gemm_packed_config_of(const KernelRequest& request);

/// How the kernel takes its first operand (`use` 'a') or its second ('b').
PackedForm packed_form(const GemmPackedConfig& config, const GemmForm& form, char use);

/// Every reason why no kernel can be made of `config` for `form`. Empty: fine.
std::vector<std::string> reasons_against(const GemmPackedConfig& config, const GemmForm& form);

/// The orders of `form` do not matter: operands are packed. Throws KernelError with every reason.
ir::Kernel gemm_packed(const GemmPackedConfig& config, const GemmForm& form,
                       const std::string& name = "gemm/packed");

}  // namespace vkmoye::gen
