// SPDX-License-Identifier: MIT
#pragma once
// Blocks of formats whose definition says how they are written. Each function writes one block; weights are finite. A
// scale that its type cannot hold is infinite. quantise_by_search (weight_search.hpp) is for the other formats.

#include <cstddef>
#include <span>

#include "vkmoye/gen/kernels/common/weight_format.hpp"

namespace vkmoye::gen {

/// scale = max |w| / 127, code = w / scale rounded to nearest, halves away from 0.
void quantise_to_both_signs(const WeightFormat& format, std::span<const double> weights,
                            std::span<std::byte> block);

/// scale = (the weight with the largest magnitude) / -zero, code = w / scale + zero rounded, at most the largest code.
void quantise_from_extreme(const WeightFormat& format, std::span<const double> weights,
                           std::span<std::byte> block);

/// scale = (largest - smallest) / largest code, minimum = the smallest, code = (w - minimum) / scale rounded, at most
/// the largest code.
void quantise_between(const WeightFormat& format, std::span<const double> weights,
                      std::span<std::byte> block);

/// From the smallest weight or 0 to the largest or 0: scale = (high - low) / largest code, the zero point is the code
/// of 0, code = w / scale + zero point; all rounded to nearest, halves away from 0.
void quantise_with_zero_point(const WeightFormat& format, std::span<const double> weights,
                              std::span<std::byte> block);

/// scale = max |w|, code = the level nearest to w / scale: the number of middles between levels that it is above.
void quantise_nf4(const WeightFormat& format, std::span<const double> weights,
                  std::span<std::byte> block);

/// scale = max |w| / 448, code = w / scale in e4m3. A subnormal scale has few digits: where it was rounded so far down
/// that the largest weight would be beyond e4m3, the scale is the next number.
void quantise_e4m3(const WeightFormat& format, std::span<const double> weights,
                   std::span<std::byte> block);

/// The largest magnitude has the exponent of the largest level, 2 (OCP Microscaling Formats 1.0, section 6.3).
void quantise_mxfp4(const WeightFormat& format, std::span<const double> weights,
                    std::span<std::byte> block);

/// scale = max |w| / 6 in e4m3, which has no infinity: NaN beyond 448.
void quantise_nvfp4(const WeightFormat& format, std::span<const double> weights,
                    std::span<std::byte> block);

/// Weights are whole numbers: others are rounded to nearest, halves away from 0.
void quantise_i8(const WeightFormat& format, std::span<const double> weights,
                 std::span<std::byte> block);

}  // namespace vkmoye::gen
