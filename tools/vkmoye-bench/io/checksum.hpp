// SPDX-License-Identifier: MIT
#pragma once
// Whether bytes are those that were written.

#include <cstddef>
#include <cstdint>
#include <span>

namespace vkmoye::bench {

/// XXH3-64 of `bytes`. `seed`: the checksum of what comes before them.
std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed = 0);

}  // namespace vkmoye::bench
