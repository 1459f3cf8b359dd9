// SPDX-License-Identifier: MIT
#pragma once
// The checksum of files, which detects damage.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace vkmoye::bench {

/// XXH3-64 of `bytes`. `seed`: the checksum of the preceding bytes.
std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed = 0);

/// checksum(bytes) as 16 hexadecimal digits.
std::string checksum_text(std::span<const std::byte> bytes);
std::string checksum_text(const std::string& text);

}  // namespace vkmoye::bench
