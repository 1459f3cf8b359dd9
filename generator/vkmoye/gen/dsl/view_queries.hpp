// SPDX-License-Identifier: MIT
#pragma once
// What the layouts of a view say: who owns what, how a stage comes round, whether it is a matrix.
//
//   part = parallelize(smem (32,32):(1,33), (32,8), thread)
//     owned_by(part, 33)        1+33 .. : the elements of thread 33, (32,8) threads: (1,1), (1,9), ..
//   stage = select(shared (128,8,2):(1,132,1056), 2, k_tile % 2)
//     ring_of(stage, "k_tile")  {2, 1056}: after 2 rounds of k_tile it lies where it lay
//     as_matrix(stage)          rows neighbours, columns 132 apart, beginning at multiples of 4
//
// An operand of a matrix unit is a matrix (rows, columns) with neighbours along one mode and one
// stride along the other, its beginning and its stride multiples of 16 bytes, or of a whole row or
// column where that is shorter (SPV_KHR_cooperative_matrix).

#include <optional>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/bounds.hpp"
#include "vkmoye/gen/dsl/view.hpp"

namespace vkmoye::gen {

/// The coordinates along each axis of the values of `view` in thread number `thread`, value by
/// value, without what groups and loops add.
std::vector<std::vector<std::int64_t>> owned_by(const View& view, std::uint32_t thread);

/// A stage that is taken in turn: after `period` rounds of a loop it is the first one again.
struct Ring {
  std::int64_t period = 1;
  std::int64_t stride = 0;  // from one stage to the next, along axis 0
};

/// The ring along which the loop over `variable` moves `view`. Nothing: it does not move it, or it
/// never comes back.
std::optional<Ring> ring_of(const View& view, const std::string& variable);

/// A matrix in memory: element (i, j) lies at first + i * rows + j * columns.
struct Matrix {
  Expr first = 0;              // elements from the beginning of the array
  Expr rows = 1, columns = 1;  // strides, elements: one of them is the number 1
  std::uint32_t width = 1;     // elements at multiples of which it begins, and each row or column
  Conditions needs;            // what must hold of run-time sizes so that it is aligned as above
};

/// `view`, whose values have rank 2, as a matrix; or why it is none.
struct MatrixOrReason {
  std::optional<Matrix> matrix;
  std::string reason;
};

/// Precondition: `view` looks at `array`.
MatrixOrReason as_matrix(const View& view, const ir::Array& array);

}  // namespace vkmoye::gen
