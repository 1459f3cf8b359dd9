// SPDX-License-Identifier: MIT
#pragma once
// dst(r) = the first column of the largest element of row r; the first NaN, if the row has one. As numpy.argmax.
//
//   1 5 5 2    1
//
// A workgroup computes one row, or several short ones. Each row is read once.

#include <cstdint>
#include <optional>
#include <string>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/rows/row_part.hpp"

namespace vkmoye::gen {

/// `config` with the values that are not set, for rows of `cols` columns, or of any length.
ThreadsConfig fitted_to_argmax(ThreadsConfig config,
                               std::optional<std::int64_t> cols = std::nullopt);

/// src (cols, rows), of a floating type computed in f32; dst (rows) of u32. The result of a row without elements is
/// 2^32 - 1. The kernel for slices writes the largest element of each slice and its first column: slice_largest of f32
/// and slice_columns of u32, both (slices, rows); bindings of combine: slice_largest, slice_columns, dst. Throws
/// KernelError with every reason.
ir::Kernel argmax(const ThreadsConfig& config, const std::string& name = "argmax/rows",
                  RowPart part = RowPart::whole);

}  // namespace vkmoye::gen
