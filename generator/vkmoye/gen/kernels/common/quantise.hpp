// SPDX-License-Identifier: MIT
#pragma once
// Rows of weights as blocks of a format, and what is refused:
//
//   quantise(q4_0, {6e5, ..}, 4096, "w.npy")
//     w.npy as q4_0: row 0, group 1: 600000 in column 40 needs a scale beyond 65504, the largest number of f16
//
// A group is a block of a row.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vkmoye/gen/kernels/common/weight_format.hpp"

namespace vkmoye::gen {

/// The blocks of `weights`, rows of `columns`; both numbers are multiples of the elements of a block. Many weights are
/// quantised by several threads at the same time, so `format.quantise` must allow that. Throws ArgumentError for
/// weights that the format cannot hold, with their row, group and number; it calls them `name`. A weight cannot be held
/// if it is not finite, or if the scale or the minimum of its block is beyond its type.
std::vector<std::byte> quantise(const WeightFormat& format, std::span<const double> weights,
                                std::int64_t columns, std::string_view name);

/// Of weights that are refused, errors name the first ones.
inline constexpr std::size_t kMaxWeightReasons = 8;

/// The first blocks that no product takes, by row and group: their scale or minimum is NaN or infinite, or a weight,
/// or the product of its scales and code, is outside the range of f32. Codes may be NaN. `blocks` are rows of
/// `row_bytes` bytes.
std::vector<std::string> reasons_against_blocks(const WeightFormat& format,
                                                std::span<const std::byte> blocks,
                                                std::int64_t row_bytes);

}  // namespace vkmoye::gen
