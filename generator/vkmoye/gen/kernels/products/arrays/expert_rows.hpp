// SPDX-License-Identifier: MIT
#pragma once
// The experts of a mixture: each multiplies its own consecutive rows of A by a matrix of its own.
//
//   offsets  0 5 5 9        rows 0..4 belong to expert 0, none to expert 1, rows 5..8 to expert 2
//   tiles of 4 rows         a workgroup has a tile of one expert:
//     tile 0  expert 0, rows 0..3      tile 2  expert 1: has no rows
//     tile 1  expert 0, row 4          tile 3  expert 2, rows 5..8
//
// The tiles of expert e begin at number offsets[e] / 4 + e. For any sizes, this leaves enough numbers before those of
// the next expert, so that a workgroup finds its expert without adding up the tiles of earlier ones. It is the last
// expert whose tiles begin at the workgroup's number or before: threads compare several experts at once.
//
// Buffer: offsets, u32, one more than there are experts: the first row of each, then the end of the last. It must
// rise from 0 to m. If it does not, results are undefined, but nothing outside an array is accessed: an expert whose
// rows would end beyond m has none, and each row is compared with the end of its expert's rows.
//
// Arguments: experts; ends, which is experts + 1; padded_m, which is m + experts * kMaxRowsOfTile: an upper
// bound of the rows of all tiles, because the rows of each expert may end with a tile that is not full.

#include <cstdint>

#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::gen {

/// The largest tile of rows.
inline constexpr std::int64_t kMaxRowsOfTile = 128;

/// The number of a workgroup's expert, the first row of its tile, and the end of the expert's rows. Uniform across the
/// workgroup.
struct ExpertRows {
  Expr number = 0, first = 0, end = 0;
  Conditions has_rows = {};  // whether the tile has rows; else the other numbers mean nothing
};

/// Declares the buffer and the arguments of experts. Precondition: m is an argument.
Tensor declare_expert_offsets(Builder& builder);

/// Finds the expert and the rows of tile number block_y, of `rows` rows of the `m` rows of A, with a barrier. Sets the
/// grid along y.
ExpertRows find_expert_rows(Builder& builder, const Tensor& offsets, const Expr& m,
                            std::int64_t rows);

}  // namespace vkmoye::gen
