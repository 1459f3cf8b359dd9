// SPDX-License-Identifier: MIT
#pragma once
// What copies and transposes of a matrix make of it.

#include <cstdint>

#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::test {

inline bool is_move_of_matrix(const gen::KernelEntry& entry) {
  return entry.operation == "copy" || entry.operation == "transpose";
}

/// The place in src, in C's order, of what stands at `index` of dst, src being rows x cols.
/// Precondition: is_move_of_matrix(entry).
inline std::uint64_t source_index(const gen::KernelEntry& entry, std::uint64_t index,
                                  std::uint64_t rows, std::uint64_t cols) {
  return entry.operation == "copy" ? index : index % rows * cols + index / rows;
}

}  // namespace vkmoye::test
