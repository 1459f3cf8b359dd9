// SPDX-License-Identifier: MIT
#pragma once
// The words of a SPIR-V module (SPIR-V specification, 2.3): a header, then instructions. The first word of an
// instruction contains its opcode and its length in words.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vkmoye::gen::spirv {

inline constexpr std::size_t kHeader = 5;  // words before the first instruction

inline std::uint32_t opcode(std::uint32_t word) { return word & 0xffff; }
inline std::size_t length(std::uint32_t word) { return word >> 16; }

/// The instructions with opcode `which`, in order; they are parts of `spirv`, which must be complete and outlive them.
inline std::vector<std::span<const std::uint32_t>> instructions_of(
    std::span<const std::uint32_t> spirv, std::uint32_t which) {
  std::vector<std::span<const std::uint32_t>> out;
  for (std::size_t at = kHeader; at < spirv.size(); at += length(spirv[at])) {
    if (opcode(spirv[at]) == which) out.push_back(spirv.subspan(at, length(spirv[at])));
  }
  return out;
}

}  // namespace vkmoye::gen::spirv
