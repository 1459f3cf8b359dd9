// SPDX-License-Identifier: MIT
#pragma once
// Inputs that are random, reproducible, and computable at any place without the rest.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "workloads/devices/execution.hpp"

namespace vkmoye::bench {

/// 64 random bits for place `index` of stream `seed` (the finaliser of SplitMix64).
inline std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = (seed + 1) * 0x9e3779b97f4a7c15u + index * 0xd1342543de82ef95u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Element `index` of stream `seed`, of 1 to 16 bytes.
inline void random_element(std::span<std::byte> out, std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t bits[] = {random_bits(seed, index),
                                out.size() > 8 ? random_bits(~seed, index) : 0};
  std::memcpy(out.data(), bits, out.size());  // little-endian hosts, as .npy and GPUs
}

/// Fills `out` with elements `first`, `first + 1` .. of the stream; every bit pattern is possible,
/// so that moved floating-point numbers are checked with NaNs, infinities and denormals.
/// Precondition: out.size() is a multiple of `element_bytes`, which is at most 16.
inline void fill_random(std::span<std::byte> out, std::size_t element_bytes, std::uint64_t seed,
                        std::uint64_t first) {
  for (std::size_t at = 0; at < out.size(); at += element_bytes, ++first) {
    random_element(out.subspan(at, element_bytes), seed, first);
  }
}

/// Fills array number `array`, of `bytes`, with the stream, from its element 0 on.
inline void fill_random(Execution& execution, std::size_t array, std::uint64_t bytes,
                        std::size_t element_bytes, std::uint64_t seed) {
  constexpr std::uint64_t kChunkElements = std::uint64_t{1} << 21;
  std::vector<std::byte> chunk(std::min(kChunkElements * element_bytes, bytes));
  for (std::uint64_t at = 0; at < bytes; at += chunk.size()) {
    const std::span part(chunk.data(), std::min<std::uint64_t>(chunk.size(), bytes - at));
    fill_random(part, element_bytes, seed, at / element_bytes);
    execution.write(array, part, at);
  }
}

}  // namespace vkmoye::bench
