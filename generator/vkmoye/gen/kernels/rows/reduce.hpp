// SPDX-License-Identifier: MIT
#pragma once
// Reduces each row, or each column, of a matrix to one value: its sum or its maximum.
//
//   axis 1, 256 threads side by side         axis 0, 8 x 64 threads
//     src  [ 256 vectors ][ .. ] a row         src  [ 8 vectors ] 64 rows, then the next 64, ..
//     dst  one value for each row              dst  one value for each column
//
// A thread reads its part of src with several accesses in flight and combines the values in registers;
// then lanes are combined, then subgroups, through shared memory. Memory is read once.
//
// Elements of less than 32 bits are computed in f32, i32 or u32, see computing_type. Sums of f16, bf16, e4m3 and e5m2
// are rounded once; sums of shorter integers are i32 or u32; sums of 32 bits wrap. The maximum of values that include
// a NaN is NaN. Without values, the sum is 0 and the maximum is -infinity or the smallest integer.

#include <optional>
#include <string>

#include "vkmoye/gen/dsl/reduction.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/rows/row_part.hpp"

namespace vkmoye::gen {

/// The config of reduce/*.
struct ReduceConfig : ThreadsConfig {
  std::int64_t axis = 1;  // the axis that is reduced: 1: a value for each row, 0: for each column
  std::optional<ScalarType> result = {};  // the type of dst; by default reduced_type
};

/// The config for elements of `type` on `device`.
ReduceConfig reduce_config(ScalarType type, const DeviceCaps& device);

/// The config values that `--NAME` can replace.
const std::vector<ConfigField<ReduceConfig>>& reduce_fields();

/// `config` with all values set, for rows of `cols` columns, or of any length, and for `rows` rows, or any number.
ReduceConfig fitted(ReduceConfig config, std::optional<std::int64_t> cols = std::nullopt,
                    std::optional<std::int64_t> rows = std::nullopt);

/// Every reason against `config`, which must be fitted; empty if it is valid.
std::vector<std::string> reasons_against(const ReduceConfig& config);

/// The type of the result: i32 or u32 for a sum of shorter integers, else the type of the elements.
ScalarType reduced_type(ScalarType type, Reduction reduction);

/// src (cols, rows), of any type but i64, u64 and complex ones; dst (rows) for axis 1, (cols) for axis 0. The kernel
/// for slices writes slice_results, (slices, rows) or (cols, slices), of computing_type; combine reduces these to dst,
/// with a `config` for their type. Throws KernelError with every reason.
ir::Kernel reduce(const ReduceConfig& config, Reduction reduction, const std::string& name,
                  RowPart part = RowPart::whole);

}  // namespace vkmoye::gen
