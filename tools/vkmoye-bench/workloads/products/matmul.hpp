// SPDX-License-Identifier: MIT
#pragma once
// A @ B as NumPy means it, as launches of a product: how batches broadcast, and what a vector is.
//
//   A (5,1,M,K) @ B (3,K,N) = C (5,3,M,N)     5 launches, each of one matrix of A with all 3 of B
//   A (K,) @ B (K,N) = C (N,)                 a row of one; likewise B (K,) is a column
//
// A launch has one batch. So the axes of the batch are parted: along the last ones, as many as can be,
// each operand either has all matrices of the result or is the same; the others are counted through.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/operation.hpp"

namespace vkmoye::bench {

/// What the arrays are for: A, B, then what the epilogue reads, in order.
struct MatmulQuestion {
  std::vector<GivenArray> arrays;
  std::string epilogue;  // as --epilogue takes it; empty: none
};

struct Matmul {
  std::vector<std::int64_t> shape;  // of the result
  gen::Options values;              // of the operation "gemm"
  std::vector<GivenArray> arrays;   // of a launch
  /// Of each launch: the matrix of each array that it begins at, in matrices of that array. The results
  /// follow each other.
  std::vector<std::vector<std::int64_t>> launches;
};

/// Arrays in Fortran's order are of two dimensions. Throws ArgumentError with every reason: another
/// number of arrays than the epilogue reads, inner sizes that differ, batches that do not broadcast,
/// types that differ, a number in place of an array, a batch in fragment order that would have to be cut.
Matmul plan_matmul(const MatmulQuestion& question);

}  // namespace vkmoye::bench
