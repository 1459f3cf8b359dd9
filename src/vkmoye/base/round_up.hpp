// SPDX-License-Identifier: MIT
#pragma once
// Rounding integers up to a multiple.
//
//   round_up(5, 4) = 8, round_up(8, 4) = 8, round_up(0, 4) = 0

#include <concepts>
#include <type_traits>

namespace vkmoye {

/// The smallest multiple of `step` that is not less than `value`. Precondition: value >= 0, step > 0, and their
/// sum fits the type.
template <std::integral T>
constexpr T round_up(T value, std::type_identity_t<T> step) {
  return (value + step - 1) / step * step;
}

}  // namespace vkmoye
