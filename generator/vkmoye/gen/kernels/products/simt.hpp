// SPDX-License-Identifier: MIT
#pragma once
// Matrix products without matrix units: one description for several configs.
//
//   C (M, N), n contiguous        one workgroup computes a tile of (bM, bN), over tiles of bK
//     A tile (bM, bK), B tile (bN, bK)      in shared memory, m and n contiguous
//     per k: a fragment of A and one of B   in registers, then VM * RM * VN * RN multiply-adds
//
//   moye_simple     copy, wait, multiply, wait                                     (MoYe.jl, matmul)
//   moye_prefetch   the next tiles are loaded into registers while these are multiplied  (MoYe.jl, TiledMMA)
//   simt            vectors of 16 bytes, two shared tiles, threads of a subgroup in a square
//
// Interface: bindings a, b, the inputs of the epilogue, c; push constants m, n, k, lda, ldb, ldc (the strides
// of the rows of the stored arrays), alpha and, if C is read, beta, then those of the epilogue; for a batch
// also batch, stride_a, stride_b, stride_c; for slices of k also slices and stride_c, of the sums that
// products/combine.hpp adds. With experts, also experts, ends, padded_m and stride_b, and after b the buffer offsets;
// see arrays/expert_rows.hpp.
//
// configs/simt.cpp checks the config.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"
#include "vkmoye/layout/layout.hpp"

namespace vkmoye::gen {

struct GemmOperand;       // products/arrays/operand.hpp
enum class Moved : bool;  // there

/// The config of products without matrix units.
struct GemmSimtConfig {
  std::int64_t tile_m = 128, tile_n = 128, tile_k = 8;
  Layout threads = Layout(IntTuple{16, 16});  // over (m, n)
  std::int64_t values_m = 1, values_n = 1;    // contiguous elements of C of a thread; see TiledMma
  std::int64_t pad_a = 0, pad_b = 0;          // padding elements after bM and bN in shared memory
  std::int64_t stages = 1;                    // shared tiles of A and of B: 1 or 2
  bool prefetch = false;  // whether the next tiles are loaded into registers; always with 2 stages
  std::int64_t fragments = 1;     // of A and B in registers: 1, or, with 2 stages, 2 that alternate
  std::int64_t unroll = 0;        // steps of k that the compiler unrolls; 0: a whole tile
  std::int64_t vector_bytes = 4;  // maximum bytes of an access to a buffer

  /// The names and values of the fields above, for the first line of the text and for reports.
  std::vector<std::pair<std::string, std::string>> items() const;
};

/// The config of gemm/simt for products of `form` on `device`.
GemmSimtConfig gemm_simt_config(const GemmForm& form, const DeviceCaps& device);

/// The config values that `--NAME` can replace.
const std::vector<ConfigField<GemmSimtConfig>>& gemm_simt_fields();

/// Every reason against `config` for `form`; empty if it is valid.
std::vector<std::string> reasons_against(const GemmSimtConfig& config, const GemmForm& form);

/// How the threads of a workgroup are arranged to load a tile from a buffer: at most 32 along its contiguous
/// axis, the others across it; and the elements of an access.
struct OperandStaging {
  std::int64_t lanes, others, vector;
};

/// How a tile of A or B with tile_k elements of k is staged.
OperandStaging operand_staging(const GemmSimtConfig& config, const GemmOperand& x, Moved moved);

/// The elements of a fragment of `values` contiguous ones that are read from shared memory at once.
std::int64_t fragment_vector(ScalarType type, std::int64_t values);

/// Throws KernelError with the reasons of reasons_against.
ir::Kernel gemm_simt(const GemmSimtConfig& config, const GemmForm& form, const std::string& name);

}  // namespace vkmoye::gen
