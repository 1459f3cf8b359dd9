// SPDX-License-Identifier: MIT
#pragma once
// Powers of two for configs.

#include <bit>
#include <cstdint>

namespace vkmoye::gen {

/// The least power of two from `n` on: 8 of 5 to 8. Precondition: 0 <= n <= 2^62.
inline std::int64_t power_from(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
}

}  // namespace vkmoye::gen
