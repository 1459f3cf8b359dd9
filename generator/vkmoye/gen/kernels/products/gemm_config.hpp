// SPDX-License-Identifier: MIT
#pragma once
// The config of a matrix product: how its tiles are cut, staged and multiplied.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/form/form.hpp"
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

  /// Name and value of everything above, for the first line of the text and for reports.
  std::vector<std::pair<std::string, std::string>> items() const;
};

/// What of the config `--NAME` can replace.
const std::vector<ConfigField<GemmConfig>>& gemm_fields();

/// Every reason why shaders do not multiply and add up numbers of these types, each by itself.
std::vector<std::string> reasons_against_arithmetic(const GemmForm& form);

/// Every reason why no kernel can be made of `config` for `form`. Empty: fine.
std::vector<std::string> reasons_against(const GemmConfig& config, const GemmForm& form);

/// How a workgroup's threads stand over a tile on its way from a buffer: along its contiguous axis,
/// at most 32 of them, and across it; and the elements that each moves at once.
struct Staging {
  std::int64_t lanes, others, vector;
};

/// Of a tile of `rows` rows of A or B, with tile_k elements of k; `vectors`: else one by one.
Staging staging_of(const GemmConfig& config, ScalarType type, std::int64_t rows, bool k_contiguous,
                   bool vectors);

/// The elements of a fragment that are read from shared memory at once, of `values` neighbours.
std::int64_t fragment_vector(ScalarType type, std::int64_t values);

}  // namespace vkmoye::gen
