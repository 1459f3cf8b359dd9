// SPDX-License-Identifier: MIT
#include "io/checksum.hpp"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace vkmoye::bench {

std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::string checksum_text(std::span<const std::byte> bytes) {
  return fmt::format("{:016x}", checksum(bytes));
}

std::string checksum_text(const std::string& text) {
  return checksum_text(std::as_bytes(std::span(text)));
}

}  // namespace vkmoye::bench
