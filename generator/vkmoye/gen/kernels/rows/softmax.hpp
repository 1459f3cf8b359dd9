// SPDX-License-Identifier: MIT
#pragma once
// dst(r, c) = exp(src(r, c) - m) / sum over c of exp(src(r, c) - m), m the maximum of row r.
//
// A workgroup computes one row, or several short ones. Rows that fit in registers are read once, longer
// ones three times: for the maximum, for the sum, and for the result.
//
// As in NumPy, a row is NaN if it contains a NaN or +infinity, or only -infinity.

#include <string>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/common/threads_config.hpp"

namespace vkmoye::gen {

/// src and dst (cols, rows), of a floating type computed in f32 (f16, bf16, f32, e4m3, e5m2). Throws KernelError with
/// every reason.
ir::Kernel softmax(const ThreadsConfig& config, const std::string& name = "softmax/rows");

/// The same in two kernels, for few long rows; see staged_row.hpp. Of each slice of a row, the first computes its
/// maximum m and the sum of exp(src - m): slice_largest, slice_sums (slices, rows) of f32.
ir::Kernel softmax_slices(const ThreadsConfig& config, const std::string& name);
/// Bindings src, slice_largest, slice_sums, dst.
ir::Kernel softmax_combine(const ThreadsConfig& config, const std::string& name);

}  // namespace vkmoye::gen
