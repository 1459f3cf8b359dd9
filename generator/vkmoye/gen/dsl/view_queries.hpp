// SPDX-License-Identifier: MIT
#pragma once
// Queries on the layouts of a view: which elements a thread owns, the period of a stage, whether the
// view is a matrix.
//
//   part = parallelize(smem (32,32):(1,33), (32,8), thread)
//     owned_by(part, 33)        1+33 .. : the elements of thread 33, (32,8) threads: (1,1), (1,9), ..
//   stage = select(shared (128,8,2):(1,132,1056), 2, k_tile % 2)
//     ring_of(stage, "k_tile")  {2, 1056}: after 2 iterations of k_tile the first stage is reused
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

/// For each value of `view` that thread number `thread` owns, its coordinate along each axis, with
/// block coordinates and loop variables set to 0.
std::vector<std::vector<std::int64_t>> owned_by(const View& view, std::uint32_t thread);

/// A stage of a ring buffer: after `period` iterations of a loop, the first stage comes again.
struct Ring {
  std::int64_t period = 1;
  std::int64_t stride = 0;  // from one stage to the next, along axis 0
};

/// The ring along which the loop over `variable` moves `view`; nullopt if the loop does not move it
/// or does not return to the first stage.
std::optional<Ring> ring_of(const View& view, const std::string& variable);

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

/// Precondition: `view` is a view of `array`.
MatrixOrReason as_matrix(const View& view, const ir::Array& array);

}  // namespace vkmoye::gen
