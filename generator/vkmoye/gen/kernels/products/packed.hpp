// SPDX-License-Identifier: MIT
#pragma once
// Products of operands that are packed in fragment order, loaded without shared memory.
//
//   C (M, N), n contiguous             a workgroup computes 2x2 parts of C, one for each subgroup
//     a part: 64 x 64                  4 x 4 matrices of sums
//     a step of k: 16                  a lane reads 16 bytes for each of 4 + 4 matrices, 512 contiguous
//                                      bytes for a subgroup, while the step before is multiplied
//
// Subgroups may share a part of C: with 2x2x2 of them, one multiplies the even blocks of k and one the odd blocks,
// and their sums are added through shared memory at the end. So a small C occupies a device with fewer slices
// of k, whose sums would have to be written and read again.
//
// Bindings a, b (blocks as in packed_form.hpp), the inputs of the epilogue, c. Arguments: m, n, k, ldc,
// alpha, beta, batch, slices, stride_c as in simt.hpp, and
//
//   k_blocks              blocks along k
//   a_blocks, b_blocks    blocks along the rows of A, and of B, all matrices of a batch together
//   a_step, b_step        blocks from one matrix of a batch to the next
//
// configs/packed.cpp chooses and checks the config.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"
#include "vkmoye/gen/kernels/products/packing/packed_form.hpp"
#include "vkmoye/gen/kernels/products/sums/gemm_atom.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {

struct AccumulatorShape;

/// What holds the next step of k while the current one is multiplied: the 32-bit words of its blocks, or matrices.
enum class PrefetchAs : std::uint8_t { matrices, words };

struct GemmPackedConfig : GemmSubgroups {
  std::int64_t part_m = 64, part_n = 64;  // the part of C that a subgroup computes
  std::int64_t shared_bytes = 49152;      // maximum shared memory
  PrefetchAs prefetch_as = PrefetchAs::words;
  std::int64_t steps = 2;   // steps of k per block of an operand: even
  std::int64_t strip = 16;  // tiles of m that workgroups cover before the next tile of n

  std::int64_t tile_m() const { return part_m * subgroups_m; }
  std::int64_t tile_n() const { return part_n * subgroups_n; }
};

/// The config for products of `form` on `device`: for its matrices and subgroups; if it has no suitable
/// matrices, for common ones. If C of `shape` (M, N, K) has few rows, subgroups share k; the blocks of B are
/// the same for all shapes.
GemmPackedConfig gemm_packed_config(const GemmForm& form,
                                    const std::optional<std::vector<std::int64_t>>& shape,
                                    const DeviceCaps& device);

/// The config values that `--NAME` can replace.
const std::vector<ConfigField<GemmPackedConfig>>& gemm_packed_fields();

/// The config of a request. Throws KernelError for options that cannot be read.
GemmPackedConfig gemm_packed_config_of(const KernelRequest& request);

/// The packed form of the kernel's first operand (`use` 'a') or its second ('b').
PackedForm packed_form(const GemmPackedConfig& config, const GemmForm& form, char use);

/// How the sums of a workgroup are divided, see products/sums/accumulators.hpp.
AccumulatorShape accumulator_shape(const GemmPackedConfig& config, const GemmForm& form);

/// Every reason against `config` for `form`; empty if it is valid.
std::vector<std::string> reasons_against(const GemmPackedConfig& config, const GemmForm& form);

/// The orders of the operands in `form` are ignored, because operands are packed, and so is a weight format: weights
/// are decoded while they are packed. Throws KernelError with every reason.
ir::Kernel gemm_packed(const GemmPackedConfig& config, const GemmForm& form,
                       const std::string& name = "gemm/packed");

}  // namespace vkmoye::gen
