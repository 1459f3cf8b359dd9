// SPDX-License-Identifier: MIT
#pragma once
// Powers of two for configs.

#include <algorithm>
#include <bit>
#include <cstdint>

namespace vkmoye::gen {

/// The smallest power of two that is at least `n`: 8 for 5 to 8. Precondition: 0 <= n <= 2^62.
inline std::int64_t next_power_of_two(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
}

/// The largest power of two up to `max_power`, itself one, that divides `whole`.
inline std::int64_t power_dividing(std::int64_t whole, std::int64_t max_power) {
  return std::min(max_power, whole & -whole);
}

}  // namespace vkmoye::gen
