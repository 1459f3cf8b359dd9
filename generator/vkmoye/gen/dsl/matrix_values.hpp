// SPDX-License-Identifier: MIT
#pragma once
// Matrices whose order in registers is known: their values by row and column.
//
//   scores: 2x4 accumulators of 16x16 f32, order ((8,2),(2,4,2)):((32,4),(1,8,2)) on an H200
//
//   MatrixValues s = matrix_values(k, scores, order);
//     s.values   (8,2,4)            the 8 elements of a lane of each matrix
//     s.by_row   ((2,2,4),(2,2))    the same registers: 16 along a row, in 4 rows
//     s.threads  (4,8,subgroups)    4 lanes hold a row, 8 groups of lanes hold different rows
//
//   View mask = s.part(k, tile(hidden, {32, 64}, at));          (8,2,4) of a plain array, as s.values
//   k.apply(s.values, [](Expr s, Expr m) { return select(m, -1e9, s); }, s.values, mask);
//   View most = k.make_fragment_like("most", f32, first_along(s.by_row, {0}));    a value for each row
//   k.accumulate(most, kMaximum, s.by_row);                     the values of this lane
//   k.reduce_across(most, kMaximum, s.threads, 0);              of the lanes that share the row
//   k.apply(s.by_row, [](Expr s, Expr m) { return exp(s - m); }, s.by_row, most);
//   convert_matrices(k, s, matrix_values(k, p, order_of_a));    p: matrices of f16 for multiply
//
// The order comes from a probe of the device (kernels/matrix_units/probe.hpp): which lane holds which
// element may differ between drivers and versions. An accumulator and an A of one size often have the same
// order; their conversion then renames registers. Source: FlashAttention-2 (Dao, 2023), section 3.2.

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/dsl/fragment_lanes.hpp"
#include "vkmoye/tensor/tiled_copy.hpp"

namespace vkmoye::gen {

struct MatrixValues {
  Matrices matrices;
  Layout order;  // (row, column) of a matrix -> lane * elements of a lane + number
  View values;   // (elements of a matrix, matrices along the rows, along the columns)
  View by_row;   // the same registers: (columns, rows) that this lane holds
  /// (lanes along a row, lanes along a column, subgroups) -> thread, for reduce_across.
  Layout threads;
  TiledCopy lanes;

  /// The elements of `view`, which has the rows and columns of all matrices, that correspond to `values`.
  View part(const Builder& k, const View& view) const;
  /// The elements of the first column of `view` in the rows of first_along(by_row, {0}).
  View rows_of(const Builder& k, const View& view) const;
};

/// The values of `matrices`, each in the order `order`: (row, column) -> lane * elements of a lane + number; for an
/// operand B the order of the matrix as it is multiplied, (k, n). Asserts it: Builder::assume_order. Throws LayoutError
/// if the order does not give each element one place, or if one of its modes counts both lanes and numbers.
MatrixValues matrix_values(Builder& k, const Matrices& matrices, const Layout& order);

/// to = from, converted to the type of `to`, without shared memory. Throws LayoutError unless both have the
/// same number and size of matrices and the same order; see the other overload.
void convert_matrices(Builder& k, const MatrixValues& from, const MatrixValues& to);

/// to = from, converted to the type of `to`, for any two orders. If they differ, values go through `staging`: shared
/// memory of the type of `to` with the rows and columns of all matrices, for this subgroup alone. All threads of the
/// workgroup must then reach the call, because there are barriers before and after the values are stored. Values are
/// moved one by one; rows with an odd number of elements avoid bank conflicts.
void convert_matrices(Builder& k, const MatrixValues& from, const MatrixValues& to,
                      const View& staging);

}  // namespace vkmoye::gen
