// SPDX-License-Identifier: MIT
#pragma once
// Elements as doubles, and what each type can hold. For real types of up to 32 bits and f64; the
// functions throw ArgumentError for the others.

#include <cstddef>
#include <cstdint>
#include <span>

#include "vkmoye/contract/scalar_type.hpp"

namespace vkmoye::bench {

/// How a type rounds and where it ends; of an integer type, `epsilon` and `smallest_normal` are 0.
struct NumberRange {
  double epsilon;          // from 1 to the next number
  double smallest_normal;  // below, a device may flush to zero
  double largest;
  double whole;  // every whole number up to this magnitude is one of the type
};

NumberRange range_of(ScalarType type);

/// The element of `type` at `from`; exact.
double load_number(ScalarType type, const std::byte* from);

/// out[i] is element `first + i * step` of the array at `from`.
void load_numbers(ScalarType type, const std::byte* from, std::uint64_t first, std::uint64_t step,
                  std::span<double> out);

/// Writes `value` rounded to nearest, ties to even. Precondition: integer types hold it.
void store_number(ScalarType type, double value, std::byte* to);

}  // namespace vkmoye::bench
