// SPDX-License-Identifier: MIT
#pragma once
// NumPy's A @ B as launches of a product: broadcasting of batches, and vectors.
//
//   A (5,1,M,K) @ B (3,K,N) = C (5,3,M,N)     5 launches, each of one matrix of A with all 3 of B
//   A (K,) @ B (K,N) = C (N,)                 A is a matrix with one row; likewise B (K,) has one column
//
// A launch computes a batch with one stride per operand. So one launch covers as many of the last axes as possible
// such that each operand has either all matrices of the result or a single one; a loop goes over the other axes.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/workload.hpp"

namespace vkmoye::bench {

/// The arrays are A, B, then those that the epilogue reads, in order.
struct MatmulSpec {
  std::vector<gen::GivenArray> arrays;
  std::string epilogue;  // in the form of --epilogue; empty: none
};

struct Matmul {
  std::vector<std::int64_t> shape;      // shape of the result
  gen::Options values;                  // options of the operation "gemm"
  std::vector<gen::GivenArray> arrays;  // arrays of a launch
  /// For each launch, the first matrix of each array. The results of the launches are contiguous.
  std::vector<std::vector<std::int64_t>> launches;
};

/// Precondition: arrays in Fortran order have two dimensions. Throws ArgumentError with every reason: too few or too
/// many arrays for the epilogue, different inner sizes, batches that do not broadcast, different types, a scalar, a
/// packed batch that would have to be split.
Matmul plan_matmul(const MatmulSpec& spec);

}  // namespace vkmoye::bench
