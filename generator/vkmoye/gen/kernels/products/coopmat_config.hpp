// SPDX-License-Identifier: MIT
#pragma once
// What a product with matrix units can be told about how it is computed, and which of it works.
//
//   tile 128x128x32, subgroups 2x2, atom 16x16x16
//     a subgroup sums up 64 x 64 of C: 4 x 4 matrices, of which it multiplies 4 + 4 for a step of k
//   subgroups 2x2x2
//     two subgroups have the same 64 x 64 of C: one multiplies the first step of k of each tile, one the
//     second; their sums are added up at the end

#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/form/form.hpp"
#include "vkmoye/gen/kernels/products/parts/subgroups.hpp"
#include "vkmoye/layout/layout.hpp"

namespace vkmoye::gen {

struct SumsShape;

struct GemmCoopmatConfig : GemmSubgroups {
  std::int64_t tile_m = 128, tile_n = 128, tile_k = 32;
  std::int64_t pad = 16;              // bytes after each row of the shared tiles
  std::int64_t shared_bytes = 49152;  // of shared memory, at most
  std::int64_t strip = 16;            // tiles of m that workgroups walk down before they step aside
  bool unroll = true;                 // the compiler may repeat the loop over k
  bool direct = true;                 // sums that need nothing done go to C without shared memory

  std::int64_t subgroup_rows() const { return tile_m / subgroups_m; }
  std::int64_t subgroup_columns() const { return tile_n / subgroups_n; }
};

/// The config for products of `form` on `device`: its matrices, subgroups and shared memory; where it
/// has no such matrices, as if it had the usual ones.
GemmCoopmatConfig gemm_matrix_config(const GemmForm& form, const DeviceCaps& device);

/// What of the config `--NAME` can replace.
const std::vector<ConfigField<GemmCoopmatConfig>>& gemm_coopmat_fields();

/// Every reason why no kernel can be made of `config` for `form`. Empty: fine.
std::vector<std::string> reasons_against(const GemmCoopmatConfig& config, const GemmForm& form);

/// Elements of A, or of B, that a thread stages at once: 16 bytes, or what lies side by side in a matrix
/// where that is less, since shared memory is touched in one width.
std::int64_t staged_at_once(const GemmCoopmatConfig& config, const GemmForm& form, bool of_a);

/// How the sums of a workgroup are divided, see products/parts/sums.hpp: as many columns at once as there is room
/// for beside the tiles of A and B.
SumsShape sums_shape(const GemmCoopmatConfig& config, const GemmForm& form);

/// Threads over (vectors of a row, rows) for stores of 16 bytes into rows that are `stride` times 16
/// bytes apart. Shared memory takes 8 threads at a time; their rows are chosen so that no two of them
/// meet in a bank, where such rows exist: (4,(4,2,2)):(1,(8,4,32)) at a stride of 5, rows r and r+4.
Layout staging_threads(std::int64_t vectors, std::int64_t rows, std::int64_t stride);

}  // namespace vkmoye::gen
