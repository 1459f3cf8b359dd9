// SPDX-License-Identifier: MIT
#pragma once
// Blocks of formats whose definition says how a block is read, and not how it is written.
//
//   q4_K       for each 32 weights: the scale and the minimum with the least squares of errors, among some candidates;
//              scale and minimum of the block from the largest of these; then the best whole numbers near the quotients
//   iq4_nl     the scale with the least squares of errors among candidates around largest weight / largest level
//
// For each candidate, weights get the nearest codes, and scale and minimum are fitted to these codes (linear
// regression). ggml searches in a similar way (make_qkx2_quants, make_qx_quants in ggml-quants.c).

#include <cstddef>
#include <span>

#include "vkmoye/gen/kernels/common/weight_format.hpp"

namespace vkmoye::gen {

/// Writes the block of these weights. Precondition: weights are finite. A scale that its type cannot hold is infinite.
void quantise_by_search(const WeightFormat& format, std::span<const double> weights,
                        std::span<std::byte> block);

}  // namespace vkmoye::gen
