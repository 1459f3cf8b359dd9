// SPDX-License-Identifier: MIT
#pragma once
// Products of few rows with weights in blocks, as a GGUF file stores them, at the speed of reading the weights.
//
//   C (M,N) with M of 1 to 8: A (M,K) of f16, bf16 or f32, B (N,K) in a weight format, sums in f32
//
//   q4_0, one row of A, 256 threads, 16 along k: a tile: 16 rows of 32 blocks, 1024 of k
//     a thread      2 blocks of a row, in registers, while it fetches the next 2: weights are decoded four at a time,
//                   and multiplied by the elements of each row of A, which are in shared memory
//     at the end    the sums of the threads along k are added
//
// Each weight is read once, and decoded once for all rows of A. The interface is that of simt.hpp; b consists of 16-bit
// words of rows of blocks, ldb and stride_b count these words, and the argument `words` is their number in a row.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"

namespace vkmoye::gen {

struct GemmQuantisedConfig {
  std::int64_t rows = 1;              // rows of A at once, 1 to 8
  std::int64_t threads = 128;         // threads per workgroup
  std::int64_t along_k = 16;          // the number of threads that share a row of weights
  std::int64_t blocks = 8;            // blocks of a row of weights that a thread reads at once
  std::int64_t weights = 2;           // rows of weights per thread
  std::int64_t subgroup_size = 32;    // lanes of a subgroup on the device
  std::int64_t shared_bytes = 32768;  // maximum shared memory
  // Padding elements between the parts of A of two threads in shared memory, to avoid bank conflicts.
  std::int64_t pad_of_unit = 4;

  bool operator==(const GemmQuantisedConfig&) const = default;
};

/// The config for a product of `shape` {M, N, K}, or of one row if it is not known, on `device`.
GemmQuantisedConfig gemm_quantised_config(const GemmForm& form,
                                          const std::optional<std::vector<std::int64_t>>& shape,
                                          const DeviceCaps& device);

/// The config values that `--NAME` can replace.
const std::vector<ConfigField<GemmQuantisedConfig>>& gemm_quantised_fields();

/// The elements of k of a tile. Precondition: form.weights is not null.
std::int64_t depth(const GemmQuantisedConfig& config, const GemmForm& form);

/// Every reason against `config` for `form`; empty if it is valid.
std::vector<std::string> reasons_against(const GemmQuantisedConfig& config, const GemmForm& form);

/// Throws KernelError with the reasons of reasons_against.
ir::Kernel gemm_quantised(const GemmQuantisedConfig& config, const GemmForm& form,
                          const std::string& name = "gemm/quantised");

}  // namespace vkmoye::gen
