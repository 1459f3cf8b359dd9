// SPDX-License-Identifier: MIT
#pragma once
// The definition of copies and transposes of a matrix.

#include <cstdint>

#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::test {

inline bool is_move_of_matrix(const gen::KernelEntry& entry) {
  return entry.operation == "copy" || entry.operation == "transpose";
}

/// The index in src, which is rows x cols in C order, of the element at `index` of dst.
/// Precondition: is_move_of_matrix(entry).
inline std::uint64_t source_index(const gen::KernelEntry& entry, std::uint64_t index,
                                  std::uint64_t rows, std::uint64_t cols) {
  return entry.operation == "copy" ? index : index % rows * cols + index / rows;
}

}  // namespace vkmoye::test
