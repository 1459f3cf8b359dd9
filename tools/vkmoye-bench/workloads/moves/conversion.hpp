// SPDX-License-Identifier: MIT
#pragma once
// Copies between two element types: the inputs, and what the copy may write.
//
//   f32 -> f16      2049.5 becomes 2050: rounded to nearest, ties to even
//   f32 -> i8       -3.7 becomes -3: rounded towards 0
//   i32 -> u8       257 becomes 1: integers keep their low bits

#include <cstddef>
#include <cstdint>
#include <span>

#include "vkmoye/contract/scalar_type.hpp"

namespace vkmoye::bench {

/// Writes element `index` of the random input of type `from` to `out`: any bits, and numbers near those that `to` can
/// represent. If `to` is an integer type, only numbers that it can represent after rounding, since other results are
/// undefined.
void random_convertible(std::span<std::byte> out, ScalarType from, ScalarType to,
                        std::uint64_t seed, std::uint64_t index);

/// Whether `got`, of type `to`, is a correct result for `source`, of type `from`. Any NaN is one for NaN, and 0 where
/// source or result is subnormal in a type in which devices may flush such numbers; f64 may be rounded to f32 first.
bool is_converted(ScalarType from, const std::byte* source, ScalarType to, const std::byte* got);

}  // namespace vkmoye::bench
