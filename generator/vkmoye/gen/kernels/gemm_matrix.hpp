#pragma once
// Matrix products with matrix units: cooperative matrices of subgroups, tiles through shared memory.
//
//   C (M, N), n contiguous        one workgroup sums up a tile of (bM, bN) over tiles of bK
//     A tile (bM, bK), B tile (bN, bK)      in shared memory, in the order of the buffers, padded
//     per step of k: WM / 16 + WN / 16 matrices are loaded, WM / 16 * WN / 16 products summed up
//     sums go through shared memory, where they are scaled, rounded and brought to the edges
//
// The next tiles travel in registers while these are multiplied. Interface as that of gemm.hpp.

#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/config_fields.hpp"
#include "vkmoye/gen/kernels/gemm_form.hpp"

namespace vkmoye::gen {

struct GemmMatrixConfig {
  std::int64_t atom_m = 16, atom_n = 16, atom_k = 16;  // of one product of matrix units
  std::int64_t subgroup = 32;                          // lanes
  std::int64_t tile_m = 128, tile_n = 128, tile_k = 32;
  std::int64_t subgroups_m = 2, subgroups_n = 2;  // of a workgroup, over (m, n)
  std::int64_t pad = 16;                          // bytes after each row of the shared tiles
};

/// The config for products of `form` on `device`: its matrices, subgroups and shared memory; where it
/// has no such matrices, as if it had the usual ones.
GemmMatrixConfig gemm_matrix_config(const GemmForm& form, const DeviceCaps& device);

/// What of the config `--NAME` can replace.
const std::vector<ConfigField<GemmMatrixConfig>>& gemm_matrix_fields();

/// Every reason why no kernel can be made of `config` for `form`. Empty: fine.
std::vector<std::string> reasons_against(const GemmMatrixConfig& config, const GemmForm& form);

/// Throws KernelError with every reason.
ir::Kernel gemm_matrix(const GemmMatrixConfig& config, const GemmForm& form,
                       const std::string& name = "gemm/coopmat");

}  // namespace vkmoye::gen
