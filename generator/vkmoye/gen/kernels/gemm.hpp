#pragma once
// Matrix products without matrix units: one description, a ladder of configs.
//
//   C (M, N), n contiguous        one workgroup sums up a tile of (bM, bN) over tiles of bK
//     A tile (bM, bK), B tile (bN, bK)      in shared memory, m and n contiguous
//     per k: a fragment of A and one of B   in registers, then VM * RM * VN * RN multiply-adds
//
//   moye_simple     copy, wait, multiply, wait                                     (MoYe.jl, matmul)
//   moye_prefetch   the next tiles travel in registers while these are multiplied  (MoYe.jl, TiledMMA)
//   simt            vectors of 16 bytes, two shared tiles, threads of a subgroup in a square
//
// Interface: bindings a, b, c; push constants m, n, k, lda, ldb, ldc (elements between rows of the
// stored arrays), alpha and, where C is read, beta; for a batch also batch, stride_a, stride_b,
// stride_c.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/gemm_form.hpp"
#include "vkmoye/layout/layout.hpp"

namespace vkmoye::gen {

struct GemmConfig {
  std::int64_t tile_m = 128, tile_n = 128, tile_k = 8;
  Layout threads = Layout(IntTuple{16, 16});  // over (m, n)
  std::int64_t values_m = 1, values_n = 1;    // of C in one piece; see TiledMma
  std::int64_t pad_a = 0, pad_b = 0;          // elements after bM and bN in shared memory
  std::int64_t stages = 1;                    // shared tiles of A and of B: 1 or 2
  bool prefetch = false;       // the next tiles wait in registers; with 2 stages always
  std::int64_t fragments = 1;  // of A and B in registers: 1, or, with 2 stages, 2 that take turns
  std::int64_t unroll = 0;     // steps of k that the compiler repeats; 0: a whole tile
  std::int64_t vector_bytes = 4;  // moved at once from and to buffers, at most

  /// Key and value of everything above, for the first line of the text and for reports.
  std::vector<std::pair<std::string, std::string>> items() const;
};

/// Every reason why no kernel can be made of `config` for `form`. Empty: fine.
std::vector<std::string> reasons_against(const GemmConfig& config, const GemmForm& form);

/// Throws KernelError with those reasons.
ir::Kernel gemm(const GemmConfig& config, const GemmForm& form, const std::string& name);

}  // namespace vkmoye::gen
