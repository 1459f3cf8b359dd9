// SPDX-License-Identifier: MIT
#pragma once
// One value of each row, or of each column, of a matrix: its sum or its largest element.
//
//   axis 1, 256 threads side by side         axis 0, 8 x 64 threads
//     src  [ 256 vectors ][ .. ] a row         src  [ 8 vectors ] 64 rows, then the next 64, ..
//     dst  one value for each row              dst  one value for each column
//
// A thread goes through its part of src with several accesses in flight, and combines what it finds
// in registers; then lanes are combined, then subgroups through shared memory. One pass over memory.
//
// Sums of f16 are rounded once, from f32; sums of i32 wrap. The largest of values among which is a
// NaN is NaN. Of no values the sum is 0, the largest -infinity or the least integer.

#include <string>

#include "vkmoye/gen/dsl/combination.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/common/threads_config.hpp"

namespace vkmoye::gen {

struct ReduceConfig : ThreadsConfig {
  std::int64_t axis = 1;  // that goes: 1: a value for each row, 0: for each column
};

/// The config for elements of `type` on `device`.
ReduceConfig reduce_config(ScalarType type, const DeviceCaps& device);

/// What of the config `--NAME` can replace.
const std::vector<ConfigField<ReduceConfig>>& reduce_fields();

/// `config` for rows of `cols` columns, or of any length, with nothing left to choose.
ReduceConfig fitted(ReduceConfig config, std::optional<std::int64_t> cols = std::nullopt);

/// Every reason why no kernel can be made of `config`, fitted; empty: fine.
std::vector<std::string> reasons_against(const ReduceConfig& config);

/// src (cols, rows), of f16, f32, f64, i32 or u32; dst (rows) for axis 1, (cols) for axis 0.
/// Throws KernelError with every reason.
ir::Kernel reduce(const ReduceConfig& config, Combination combination, const std::string& name);

}  // namespace vkmoye::gen
