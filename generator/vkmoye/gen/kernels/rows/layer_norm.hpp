// SPDX-License-Identifier: MIT
#pragma once
// dst(r, c) = (src(r, c) - mean) / sqrt(variance + epsilon) * weight(c) + bias(c), mean and variance of row r.
//
// A state is the count and the sum of elements, and the sums of their deviations and of the squares of these from the
// centre, which is the mean up to rounding:
//
//   of 1 3       count 2, sum 4       centre 2    deviations 0    squares 2
//   of 5         count 1, sum 5       centre 5    deviations 0    squares 0
//   merged       count 3, sum 9       centre 3    shifted by h = 2 - 3 and 5 - 3:
//                                                 deviations 2 h, h          = -2 + 2 = 0
//                                                 squares 2 + 2 h^2, h^2     = 4 + 4  = 8
//
// Nothing cancels if a row varies little around a large mean: the differences from the row's first element are summed,
// so that it is the centre of equal elements, and the sum of deviations is the error of the centre. Squares of large
// and of small deviations do not leave the range of f32, see sum_of_squares.hpp; with epsilon 0, for standard
// deviations from 1e-18 on. Sums of f32 and bf16 are scaled down, so that they do not overflow either; therefore,
// deviations below 4e-28 are lost in the mean.
//
// As in NumPy, a row with a NaN or an infinity is NaN.
// Source: Chan, Golub and LeVeque, Updating formulae and a pairwise algorithm for computing sample variances, 1979.

#include <string>

#include "vkmoye/gen/kernels/rows/rms_norm.hpp"

namespace vkmoye::gen {

/// src and dst (cols, rows), weight and bias (cols), of a floating type computed in f32 (f16, bf16, f32, e4m3, e5m2).
/// Rows that fit in registers are read once, longer ones twice. The kernel for slices writes the state of each slice:
/// slice_counts, slice_totals, slice_deviations, and slice_sums as rms_norm does, (slices, rows) of f32; combine reads
/// them after bias. Throws KernelError with every reason.
ir::Kernel layer_norm(const RmsNormConfig& config, const std::string& name = "norm/layer",
                      RowPart part = RowPart::whole);

}  // namespace vkmoye::gen
