// SPDX-License-Identifier: MIT
#pragma once
// Elements as doubles, and the range of each type. For real types of up to 32 bits and f64; the functions throw
// ArgumentError for other types.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "vkmoye/contract/scalar_type.hpp"

namespace vkmoye::gen {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The precision and the range of a type; for integer types, `epsilon` and `smallest_normal` are 0.
struct NumberRange {
  double epsilon;          // the distance from 1 to the next number
  double smallest_normal;  // a device may flush smaller numbers to zero
  double largest;
  double whole;  // the type represents every whole number up to this magnitude
};

/// The range of `type`.
NumberRange range_of(ScalarType type);

/// Loads the element of `type` at `from`, exactly.
double load_number(ScalarType type, const std::byte* from);

/// out[i] is element `first + i * step` of the array at `from`.
void load_numbers(ScalarType type, const std::byte* from, std::uint64_t first, std::uint64_t step,
                  std::span<double> out);

/// A number of `type` from 64 random bits, not yet rounded: uniform in [-1, 1) without subnormals, which devices may
/// flush; for integer types, whole numbers up to 100.
double random_number(ScalarType type, std::uint64_t bits);

/// Stores `value` rounded to nearest, ties to even. Precondition: an integer type can represent it.
void store_number(ScalarType type, double value, std::byte* to);

}  // namespace vkmoye::gen
