// SPDX-License-Identifier: MIT
#pragma once
// A view as a matrix in memory, as matrix units load and store it.
//
//   stage = select(shared (128,8,2):(1,132,1056), 2, k_tile % 2)
//     as_matrix(stage)          rows contiguous, columns 132 apart, starting at multiples of 4
//
// An operand of a matrix unit is a matrix (rows, columns) that is contiguous along one mode and has
// one stride along the other. Its start and its stride are multiples of 16 bytes, or of a whole row
// or column where that is shorter (SPV_KHR_cooperative_matrix).

#include <optional>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/bounds.hpp"
#include "vkmoye/gen/dsl/view.hpp"

namespace vkmoye::gen {

/// A matrix in memory: element (i, j) is at first + i * rows + j * columns.
struct MatrixInMemory {
  Expr first = 0;              // offset in the array, elements
  Expr rows = 1, columns = 1;  // strides, elements: one of them is the constant 1
  /// The start of the matrix and of each row or column is a multiple of this.
  std::uint32_t width = 1;
  Conditions needs;  // conditions on run-time sizes for the alignment above
};

/// `view`, whose values have rank 2, as a matrix; or the reason why it is not one.
struct MatrixOrReason {
  std::optional<MatrixInMemory> matrix;
  std::string reason;
};

/// `of` as a matrix in memory, or the reason why it is not one.
MatrixOrReason as_matrix(const ArrayView& of);

}  // namespace vkmoye::gen
