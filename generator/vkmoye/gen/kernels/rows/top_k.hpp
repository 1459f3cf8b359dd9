// SPDX-License-Identifier: MIT
#pragma once
// values(i, r), columns(i, r) = element number i of row r in descending order, and its column. Equal elements keep
// their order; NaNs come before all numbers.
//
//   1 5 2 5    k = 3:  5 5 2 at 1 3 2
//
// Pass i finds the largest element that comes after result i - 1 in descending order: k passes over a row, which read
// memory once if the row fits in registers. A workgroup computes one row, or several short ones.
//
// Longer rows are cut into slices that fit, each with up to k candidates, in two kernels; see row_part.hpp. The
// candidates of a row must fit in registers, too, so rows of millions of columns have longer slices, read k times.
//
//   1 5 2 5 | 7 0 3 5    k = 3:  5 5 2 | 7 5 3  ->  7 5 5 at 4 1 3

#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/rows/row_part.hpp"

namespace vkmoye::gen {

inline constexpr std::int64_t kMaxTaken = 64;

/// The config of topk/rows.
struct TopKConfig : ThreadsConfig {
  std::int64_t k = 8;  // elements of a row of the result, 1 to kMaxTaken
};

/// The default config for elements of `type` on `device`.
TopKConfig top_k_config(ScalarType type, const DeviceCaps& device);
/// The config values that `--NAME` can replace.
const std::vector<ConfigField<TopKConfig>>& top_k_fields();

/// src (cols, rows) of f32, f16 or bf16; values (k, rows) of its type, where -0 is 0, and columns (k, rows) of u32. For
/// a row with fewer elements, the rest is -infinity and 2^32 - 1. The kernel for slices writes the k largest elements
/// of each slice, in order: slice_keys and slice_columns, both (k, slices, rows) of u32. Keys are numbers in the order
/// of the elements; 0: no element. Throws KernelError with every reason.
ir::Kernel top_k(const TopKConfig& config, const std::string& name = "topk/rows",
                 RowPart part = RowPart::whole);

/// Bindings slice_keys and slice_columns, (candidates, rows), where candidates = k * slices; values, columns. `config`
/// has the type u32 for the threads and accesses to keys; `type`: that of values.
ir::Kernel top_k_combine(const TopKConfig& config, ScalarType type, const std::string& name);

}  // namespace vkmoye::gen
