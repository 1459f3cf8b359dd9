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
// which they were loaded, because unpacking them would wait for the loads. Interface: that of simt.hpp.
//
//   tile 128x128x32, subgroups 2x2, atom 16x16x16
//     a subgroup computes 64 x 64 of C: 4 x 4 matrices, for which it loads 4 + 4 matrices in each step of k
//   subgroups 2x2x2
//     two subgroups compute the same 64 x 64 of C: one multiplies the first step of k of each tile, the other
//     the second; their sums are added at the end
//
// configs/coopmat.cpp chooses and checks the config.

#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/arrays/operand.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"
#include "vkmoye/gen/kernels/products/sums/gemm_atom.hpp"
#include "vkmoye/layout/layout.hpp"

namespace vkmoye::gen {

struct AccumulatorShape;

struct GemmCoopmatConfig : GemmSubgroups {
  std::int64_t tile_m = 128, tile_n = 128, tile_k = 32;
  std::int64_t pad = 16;              // bytes after each row of the shared tiles
  std::int64_t shared_bytes = 49152;  // maximum shared memory
  std::int64_t strip = 16;            // tiles of m that workgroups cover before the next tile of n
  bool unroll = true;                 // whether the compiler may unroll the loop over k
  bool direct = true;                 // whether sums may be stored to C without shared memory
  std::int64_t blocks = 2;            // blocks that a thread decodes at once, if B is in blocks

  std::int64_t subgroup_rows() const { return tile_m / subgroups_m; }
  std::int64_t subgroup_columns() const { return tile_n / subgroups_n; }
};

/// The config for products of `form` on `device`: for its matrices, subgroups and shared memory; if it has
/// no suitable matrices, for common ones.
GemmCoopmatConfig gemm_coopmat_config(const GemmForm& form, const DeviceCaps& device);

/// The config values that `--NAME` can replace.
const std::vector<ConfigField<GemmCoopmatConfig>>& gemm_coopmat_fields();

/// Every reason against `config` for `form`; empty if it is valid.
std::vector<std::string> reasons_against(const GemmCoopmatConfig& config, const GemmForm& form);

/// The threads that decode the weights of a row of a tile of B, side by side, and the rows of a thread. Precondition: B
/// is in blocks.
struct DecodingThreads {
  std::int64_t along, across, rows;
};
DecodingThreads decoding_threads(const GemmCoopmatConfig& config, const GemmForm& form);

/// The elements of A or B that one access to its tile in shared memory moves: 16 bytes, or a contiguous row or column
/// of a matrix if that is less, because shared memory is accessed in one width.
std::int64_t stored_at_once(const GemmCoopmatConfig& config, const GemmForm& form,
                            const GemmOperand& x);

/// How the sums of a workgroup are divided, see products/sums/accumulators.hpp: as many columns at once as fit in
/// shared memory beside the tiles of A and B.
AccumulatorShape accumulator_shape(const GemmCoopmatConfig& config, const GemmForm& form);

/// Threads over (vectors of a row, rows) for stores of 16 bytes into rows that are `stride` times 16 bytes
/// apart. Shared memory serves 8 threads at a time; their rows are chosen without bank conflicts, if such
/// rows exist: (4,(4,2,2)):(1,(8,4,32)) for a stride of 5, rows r and r+4.
Layout staging_threads(std::int64_t vectors, std::int64_t rows, std::int64_t stride);

/// Throws KernelError with every reason.
ir::Kernel gemm_coopmat(const GemmCoopmatConfig& config, const GemmForm& form,
                        const std::string& name = "gemm/coopmat");

}  // namespace vkmoye::gen
