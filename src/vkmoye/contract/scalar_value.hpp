// SPDX-License-Identifier: MIT
#pragma once
// Elements as numbers: how each type of up to 64 bits rounds, and which number its bits represent.
//
//   bits_of(ScalarType::f16, 1.0 / 3)         0x3555
//   number_of(ScalarType::f16, 0x3555)        0.333251953125

#include <cstdint>

#include "vkmoye/contract/scalar_type.hpp"

namespace vkmoye {

/// The exact number that the low bytes of `bits` represent. Throws ArgumentError for types with values that a double
/// cannot represent: i64, u64, c64, c128.
double number_of(ScalarType type, std::uint64_t bits);

/// The bits of `value` in `type`: rounded to nearest, ties to even, for floating types (IEEE 754,
/// binary16 and bfloat16 included); towards 0 for integer ones. Throws as `number_of` does.
/// Precondition: integer types hold it.
std::uint64_t bits_of(ScalarType type, double value);

}  // namespace vkmoye
