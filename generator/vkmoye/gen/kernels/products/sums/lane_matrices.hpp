// SPDX-License-Identifier: MIT
#pragma once
// The matrices of A or B of a subgroup, and their elements in the order in which a lane reads an operand that keeps its
// own order along k.
//
//   B 16x16 f16 on an H200, 64 rows, 8 consecutive k, one part of 32 k: 4 x 2 matrices
//     elements   (8 k, part 1, rows 8): 4 elements of a matrix, 4 of the next one, for each row of the lane
//
// See dsl/fragment_lanes.hpp for why that is possible.

#include <cstdint>
#include <string>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/dsl/fragment_lanes.hpp"
#include "vkmoye/gen/kernels/products/sums/gemm_atom.hpp"

namespace vkmoye::gen {

struct LaneMatrices {
  Matrices matrices;
  View elements;  // (consecutive k, parts of k, rows of the lane)
};

/// What LaneMatrices are of: the operand, its order in matrices and in lanes, and how much of it a subgroup has.
struct LanePart {
  ir::MatrixType::Use use;
  Layout order;         // (row, k) of a matrix -> lane * elements of a lane + number
  FragmentLanes lanes;  // the same, split
  std::int64_t rows;
  std::int64_t together;   // consecutive k of each row of a lane, in each part of k
  std::int64_t parts = 1;  // of k
};

/// Declares matrices `name` of `type`.
LaneMatrices lane_matrices(Builder& builder, const MatrixAtom& atom, const std::string& name,
                           ScalarType type, const LanePart& part);

}  // namespace vkmoye::gen
