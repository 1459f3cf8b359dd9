// SPDX-License-Identifier: MIT
#pragma once
// Copies between two element types: the inputs, and what the copy may write.
//
//   f32 -> f16      2049.5 becomes 2050: rounded to nearest, ties to even
//   f32 -> i8       -3.7 becomes -3: rounded towards 0
//   i32 -> u8       257 becomes 1: integers keep their low bits

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "vkmoye/contract/scalar_type.hpp"

namespace vkmoye::gen {

/// The types of the input and of the result.
struct MovedTypes {
  ScalarType src, dst;

  bool converts() const { return src != dst; }
  /// The type of the result as in ElementsForm.
  std::optional<ScalarType> result() const {
    return converts() ? std::optional(dst) : std::nullopt;
  }
};

/// "f32", or "f32*f16". Throws ArgumentError: "type 'f32*f16*f16' has 3 parts; copy/auto takes one type, or those of
/// src and dst"; with more than one part also if nothing is converted.
MovedTypes parse_moved_types(const std::string& text, const std::string& kernel,
                             const std::string& takes, bool converts = true);

/// Writes element `index` of the random input to `out`: any bits; if it is converted, also numbers near those that the
/// result's type can represent. If that is an integer type, only numbers that it can represent after rounding, since
/// other results are undefined.
void random_moved(std::span<std::byte> out, const MovedTypes& types, std::uint64_t seed,
                  std::uint64_t index);

/// Whether `got` is a correct result for `source`: the same bits; of another type, the nearest number. Any NaN is one
/// for NaN, and 0 where source or result is subnormal in a type in which devices may flush such numbers; f64 may be
/// rounded to f32 first.
bool is_moved(const MovedTypes& types, const std::byte* source, const std::byte* got);

}  // namespace vkmoye::gen
