// SPDX-License-Identifier: MIT
#pragma once
// Matrix products one side of which is small, at the speed of reading the other operand.
//
//   C (M,N) with M of 1 to 16: A (M,K) is the small operand, B (N,K) the large one
//   C (M,N) with N of 1 to 16: B is the small operand, A the large one (--side n)
//
//   k contiguous in the large operand          else: 4 threads side by side across k, 128 along it
//     threads along k   0 1 2 .. 31              threads along k   0  | rows 0..7 | rows 8..15 | ..
//     row 0             one vector each                            1  |
//     row 1             the same lanes                             2  |
//
// Each element of the large operand is read once, several vectors of a thread at a time; those of
// the small one come from caches, once for all rows that a thread has. A thread sums up in registers
// for (its rows of the large operand) x (rows of the small one); then the threads along k are added up.
//
// Sums are those of f32 where the accumulator is f16: nothing is faster with less.
// Interface: that of gemm.hpp.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/form/form.hpp"

namespace vkmoye::gen {

struct GemmThinConfig {
  bool n_is_small = false;                  // else m
  std::int64_t rows = 4;                    // of the small operand at once, 1 to 16
  std::int64_t threads = 128;               // of a workgroup
  std::int64_t along_k = 32;                // of them, for one row of the large operand
  std::int64_t reads_k = 4, reads_row = 1;  // accesses of a thread at once: along k, across k
  std::int64_t vector = 16;                 // bytes of an access to the large operand
  std::int64_t subgroup = 32;               // lanes, as the device has them

  bool operator==(const GemmThinConfig&) const = default;
};

/// The config for a product of `shape` {M, N, K}, or of one row if it is not known, on `device`.
GemmThinConfig gemm_thin_config(const GemmForm& form,
                                const std::optional<std::vector<std::int64_t>>& shape,
                                const DeviceCaps& device);

/// What of the config `--NAME` can replace.
const std::vector<ConfigField<GemmThinConfig>>& gemm_thin_fields();

/// What a thread has of a tile, elements; follows from config and form.
struct ThinTile {
  std::int64_t block_k, block_row;  // neighbours of the large operand in one place: of k, of rows
  std::int64_t k, rows;             // in all
  std::int64_t small_vector;        // of the small operand, moved at once
};
ThinTile thin_tile(const GemmThinConfig& config, const GemmForm& form);

/// Every reason why no kernel can be made of `config` for `form`. Empty: fine.
std::vector<std::string> reasons_against(const GemmThinConfig& config, const GemmForm& form);

/// Throws KernelError with what reasons_against says.
ir::Kernel gemm_thin(const GemmThinConfig& config, const GemmForm& form,
                     const std::string& name = "gemm/thin");

}  // namespace vkmoye::gen
