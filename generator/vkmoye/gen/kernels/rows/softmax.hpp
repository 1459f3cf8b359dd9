// SPDX-License-Identifier: MIT
#pragma once
// dst(r, c) = exp(src(r, c) - m) / sum over c of exp(src(r, c) - m), m the maximum of row r.
//
// A workgroup computes one row, or several short ones. Rows that fit in registers are read once, longer ones twice: for
// the maximum and the sum, see row_state.hpp, and for the result.
//
// As in NumPy, a row is NaN if it contains a NaN or +infinity, or only -infinity.

#include <string>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/rows/row_part.hpp"

namespace vkmoye::gen {

/// src and dst (cols, rows), of a floating type computed in f32 (f16, bf16, f32, e4m3, e5m2). The kernel for slices
/// writes the maximum m and the sum of exp(src - m) of each slice: slice_largest, slice_sums (slices, rows) of f32;
/// bindings of combine: src, slice_largest, slice_sums, dst. Throws KernelError with every reason.
ir::Kernel softmax(const ThreadsConfig& config, const std::string& name = "softmax/rows",
                   RowPart part = RowPart::whole);

}  // namespace vkmoye::gen
