// SPDX-License-Identifier: MIT
#pragma once
// How the threads of a workgroup move a tile of rows, in vectors that lie side by side in a row.
//
//   64 f16 x 64 rows, 256 threads:  8 vectors of 8 elements side by side, 32 rows at a time, 2 vectors of each thread

#include <cstdint>
#include <optional>

#include "vkmoye/layout/layout.hpp"

namespace vkmoye::gen {

struct RowStaging {
  Layout threads;       // (threads_per_row, rows)
  std::int64_t vector;  // elements
};

/// The widest vectors, up to `max_vector` elements, with which `threads` threads divide `width` elements of `rows` rows
/// evenly; nullopt if there are none. `min_vector`: elements of a vector.
inline std::optional<RowStaging> row_staging(std::int64_t width, std::int64_t rows,
                                             std::int64_t threads, std::int64_t max_vector,
                                             std::int64_t min_vector = 1) {
  for (std::int64_t vector = max_vector; vector >= min_vector; vector /= 2) {
    for (std::int64_t threads_per_row = threads; threads_per_row >= 1; threads_per_row /= 2) {
      const std::int64_t at_once = threads / threads_per_row;
      if (width % (vector * threads_per_row) != 0 || rows % at_once != 0) continue;
      return RowStaging{make_layout({threads_per_row, at_once}), vector};
    }
  }
  return std::nullopt;
}

}  // namespace vkmoye::gen
