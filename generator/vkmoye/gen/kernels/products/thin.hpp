// SPDX-License-Identifier: MIT
#pragma once
// Matrix products with few rows or few columns, at the speed of reading the larger operand.
//
//   C (M,N) with M of 1 to 16: A (M,K) is the small operand, B (N,K) the large one
//   C (M,N) with N of 1 to 16: B is the small operand, A the large one (--small n)
//
//   k contiguous in the large operand          else: 4 threads side by side across k, 128 along it
//     threads along k   0 1 2 .. 31              threads along k   0  | rows 0..7 | rows 8..15 | ..
//     row 0             one vector each                            1  |
//     row 1             the same lanes                             2  |
//
// Each element of the large operand is read once; a thread reads several vectors at a time. Elements of the
// small operand come from caches and are read once for all rows of a thread. A thread keeps sums in registers
// for (its rows of the large operand) x (rows of the small operand); at the end, the sums of the threads
// along k are added.
//
// If the accumulator is f16, the sums are f32, because f16 sums would not be faster. Interface: that of simt.hpp.
//
// gemm/quantised: B, the large operand, has weights in blocks, as a GGUF file stores them; M is 1 to 8
//
//   q4_0, one row of A, 128 threads, 16 along k: a tile: 8 rows of 32 blocks, 1024 of k
//     a thread      2 blocks of a row, in registers, while it fetches the next 2: weights are decoded in small groups,
//                   and multiplied by the elements of each row of A, which are in shared memory
//
// If A is f16, codes are decoded two at a time, and a scale multiplies the sum of a group: no sum of products of
// elements of f16 with numbers of codes is beyond the range of f32. Else weights are complete before they are
// multiplied. Each weight is read once, and decoded once for all rows of A. b consists of 16-bit words of rows of
// blocks, ldb and stride_b count these words, and the argument `words` is their number in a row.
//
// configs/thin.cpp chooses and checks the config.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"

namespace vkmoye::gen {

/// The default maximum of rows on a CPU: each sum is unrolled, and LLVM takes 4 s for 64 of them in Mesa 26.1,
/// a minute in 25.0.
inline constexpr std::int64_t kMaxRowsOnCpu = 4;

struct GemmThinConfig {
  bool n_is_small = false;     // else m
  bool in_blocks = false;      // B has blocks of weights
  std::int64_t rows = 4;       // rows of the small operand at once, 1 to 16, or 8 for blocks
  std::int64_t threads = 128;  // threads per workgroup
  std::int64_t along_k = 32;   // the number of threads that share a row of the large operand
  std::int64_t reads_k = 4,
               reads_row = 1;       // accesses, or blocks, of a thread in flight: along k, across k
  std::int64_t vector_bytes = 16;   // bytes of an access to the large operand; not for blocks
  std::int64_t subgroup_size = 32;  // lanes of a subgroup on the device
  // Limits for weights in blocks: maximum shared memory, and elements between the parts of A of two threads, which
  // prevent bank conflicts.
  std::int64_t shared_bytes = 32768, pad_of_thread = 4;

  bool operator==(const GemmThinConfig&) const = default;
};

/// The config for a product of `shape` {M, N, K}, or of one row if it is not known, on `device`.
GemmThinConfig gemm_thin_config(const GemmForm& form,
                                const std::optional<std::vector<std::int64_t>>& shape,
                                const DeviceCaps& device);

/// The config for weights in blocks.
GemmThinConfig gemm_quantised_config(const GemmForm& form,
                                     const std::optional<std::vector<std::int64_t>>& shape,
                                     const DeviceCaps& device);

/// The config values that `--NAME` can replace; and those for blocks.
const std::vector<ConfigField<GemmThinConfig>>& gemm_thin_fields();
const std::vector<ConfigField<GemmThinConfig>>& gemm_quantised_fields();

/// An operand, and the elements of its tile that a thread reads for each k: blocks of contiguous rows.
struct ThinOperand {
  bool is_a;
  ScalarType type;
  bool k_contiguous;
  std::int64_t block_rows = 1, blocks = 1;
  std::int64_t vector = 1;  // elements of an access; of blocks, 16-bit words

  std::int64_t rows() const { return block_rows * blocks; }
};
/// The type of A in shared memory. A single row is converted there once for all rows of weights; several would take too
/// much of it.
inline ScalarType shared_type_of_a(const GemmThinConfig& config, const GemmForm& form) {
  return config.rows == 1 ? ScalarType::f32 : form.a_type;
}
/// The part of a tile that a thread reads; follows from config and form.
struct ThinTile {
  ThinOperand large, small;
  std::int64_t block_k;  // contiguous elements of the large operand along k, or weights of a block
  std::int64_t k;        // in total
};
ThinTile thin_tile(const GemmThinConfig& config, const GemmForm& form);

/// Every reason against `config` for `form`; empty if it is valid.
std::vector<std::string> reasons_against(const GemmThinConfig& config, const GemmForm& form);

/// Throws KernelError with the reasons of reasons_against.
ir::Kernel gemm_thin(const GemmThinConfig& config, const GemmForm& form,
                     const std::string& name = "gemm/thin");

}  // namespace vkmoye::gen
