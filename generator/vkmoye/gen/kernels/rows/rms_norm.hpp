// SPDX-License-Identifier: MIT
#pragma once
// dst(r, c) = src(r, c) / sqrt(mean over c of src(r, c)^2 + epsilon) * weight(c).
//
// A workgroup computes one row, or several short ones. Rows that fit in registers are read once, longer ones twice.
// Squares of large and of small numbers do not leave the range of f32, see sum_of_squares.hpp. As in NumPy, a NaN makes
// the whole row NaN; an infinity becomes NaN and makes the finite elements of its row 0.

#include <string>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/rows/row_part.hpp"

namespace vkmoye::gen {

/// The config of norm/*.
struct RmsNormConfig : ThreadsConfig {
  double epsilon = 1e-5;  // 0, or a normal number of f32
};

/// The config for elements of `type` on `device`.
RmsNormConfig rms_norm_config(ScalarType type, const DeviceCaps& device);

/// The config values that `--NAME` can replace.
const std::vector<ConfigField<RmsNormConfig>>& rms_norm_fields();

/// Every reason against `config`, which must be fitted to rows; empty if it is valid.
std::vector<std::string> reasons_against(const RmsNormConfig& config);

/// src and dst (cols, rows), weight (cols), of a floating type computed in f32 (f16, bf16, f32, e4m3, e5m2). The kernel
/// for slices writes sums of squares: slice_sums (slices, rows) of f32, and for f32 and bf16 slice_large_sums and, if
/// epsilon is small, slice_small_sums; combine reads them after weight. Throws KernelError with every reason.
ir::Kernel rms_norm(const RmsNormConfig& config, const std::string& name = "norm/rms",
                    RowPart part = RowPart::whole);

/// The norm of a sum, and the sum: total(r, c) = src(r, c) + residual(r, c), and dst is the norm of total before total
/// is rounded to its type. Bindings src, residual, weight, total, dst.
ir::Kernel residual_norm(const RmsNormConfig& config, const std::string& name = "norm/residual",
                         RowPart part = RowPart::whole);

}  // namespace vkmoye::gen
