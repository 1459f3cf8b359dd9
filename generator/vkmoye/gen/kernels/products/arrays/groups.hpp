// SPDX-License-Identifier: MIT
#pragma once
// Groups of rows, each of which is multiplied by a matrix of its own: the experts of a mixture.
//
//   offsets  0 5 5 9        rows 0..4 belong to group 0, none to group 1, rows 5..8 to group 2
//   tiles of 4 rows         a workgroup has a tile of one group:
//     tile 0  group 0, rows 0..3       tile 2  group 1: has no rows
//     tile 1  group 0, row 4           tile 3  group 2, rows 5..8
//
// The tiles of group g begin at number offsets[g] / 4 + g. For any sizes, this leaves enough numbers before those of
// the next group, so that a workgroup finds its group without adding up the tiles of earlier groups. It is the last
// group whose tiles begin at the workgroup's number or before: threads compare several groups at once.
//
// Buffer: offsets, u32, one more than there are groups: the first row of each, then the end of the last. It must
// rise from 0 to m. If it does not, results are undefined, but nothing outside an array is accessed: a group that
// would end beyond m has no rows, and each row is compared with the end of its group.
//
// Arguments: experts; ends, which is experts + 1; padded_m, which is m + experts * kMaxRowsOfTile: an upper
// bound of the rows of all tiles, because each group may end with a tile that is not full.

#include <cstdint>

#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::gen {

/// The largest tile of rows.
inline constexpr std::int64_t kMaxRowsOfTile = 128;

/// The number of a workgroup's group of rows, the first row of its tile, and the end of the group. Uniform across the
/// workgroup.
struct RowGroup {
  Expr number = 0, first = 0, end = 0;
  Conditions has_rows = {};  // whether the tile has rows; else the other numbers mean nothing
};

/// Declares the buffer and the arguments of groups of rows. Precondition: m is an argument.
Tensor declare_row_groups(Builder& builder);

/// Finds the group and the rows of tile number block_y, of `rows` rows of the `m` rows of A, with a barrier. Sets the
/// grid along y.
RowGroup find_row_group(Builder& builder, const Tensor& offsets, const Expr& m, std::int64_t rows);

}  // namespace vkmoye::gen
