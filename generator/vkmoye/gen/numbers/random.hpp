// SPDX-License-Identifier: MIT
#pragma once
// Random inputs: reproducible, and each element can be computed without the others.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace vkmoye::gen {

/// 64 random bits for element `index` of stream `seed` (the finaliser of SplitMix64).
inline std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = (seed + 1) * 0x9e3779b97f4a7c15u + index * 0xd1342543de82ef95u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Element `index` of stream `seed`, with 1 to 16 bytes.
inline void random_element(std::span<std::byte> out, std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t bits[] = {random_bits(seed, index),
                                out.size() > 8 ? random_bits(~seed, index) : 0};
  std::memcpy(out.data(), bits, out.size());  // little-endian, like .npy files and GPUs
}

/// Fills `out` with the elements `first`, `first + 1`, .. of the stream. Every bit pattern is possible, so that moves
/// are tested with NaNs, infinities and denormals.
/// Precondition: out.size() is a multiple of `element_bytes`, which is at most 16.
inline void fill_random(std::span<std::byte> out, std::size_t element_bytes, std::uint64_t seed,
                        std::uint64_t first) {
  for (std::size_t at = 0; at < out.size(); at += element_bytes, ++first) {
    random_element(out.subspan(at, element_bytes), seed, first);
  }
}

}  // namespace vkmoye::gen
