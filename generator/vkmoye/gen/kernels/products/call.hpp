// SPDX-License-Identifier: MIT
#pragma once
// A matrix product as its user states it: what is computed, and where its arrays lie.
//
//   C(M,N) = epilogue(alpha * A(M,K) * B(N,K)^T + beta * C(M,N))
//
//   {.a_k_contiguous = false, .a = {.leading = 5, .offset = 4}} of 2x4x3: A lies as K rows of M elements
//
//     . . . .  0 1 . . .  2 3 . . .  4 5         4 elements before it, rows 5 apart
//              k=0        k=1        k=2
//
// Kernels write C with n contiguous. One with m contiguous is the transpose C^T = B * A^T, so A and
// B change places in the kernel, as do M and N, and a bias along them.
//
// Sizes are {M, N, K} throughout.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/contract/kernel_interface.hpp"
#include "vkmoye/gen/kernels/products/form/form.hpp"

namespace vkmoye::gen {

/// Where an array of rows lies in its buffer, elements. Nothing: one row, one matrix directly
/// behind the other.
struct GemmPlacement {
  std::optional<std::int64_t> leading = {};  // from one row to the next
  std::optional<std::int64_t> stride = {};   // from one matrix of the batch to the next
  std::int64_t offset = 0;                   // from the buffer's start to the first
  bool operator==(const GemmPlacement&) const = default;
};

/// A step of the epilogue, and its number where it takes one: {find_gemm_step("scale"), 0.5}. A step of
/// your own outlives the call.
struct AppliedStep {
  const GemmStep* step = nullptr;
  double number = 0;
  bool operator==(const AppliedStep&) const = default;
};

struct GemmCall {
  ScalarType a_type = ScalarType::f32, b_type = ScalarType::f32;
  ScalarType accumulator = ScalarType::f32;
  ScalarType result = ScalarType::f32;
  bool a_k_contiguous = true, b_k_contiguous = true, c_n_contiguous = true;
  double alpha = 1, beta = 0;
  std::vector<AppliedStep> epilogue = {};
  std::int64_t batch = 1;
  std::int64_t slices = 1;  // of k, summed up apart and then together
  GemmPlacement a = {}, b = {}, c = {};

  /// Which kernel computes it: of slices, the one that sums them up.
  GemmForm form() const;
};

/// The epilogue of the kernel; `exchanged`: which computes the transpose, so that m is its n.
GemmEpilogue kernel_epilogue(const std::vector<AppliedStep>& epilogue, bool exchanged);

/// One of the arrays with all its numbers.
struct GemmArray {
  std::string name;  // A, B, C, bias
  ScalarType type;
  bool second_contiguous;   // else the first index of A(m,k), B(n,k), C(m,n) is
  std::int64_t rows, cols;  // of the array as it lies in memory: cols are contiguous
  std::int64_t leading, stride, offset, batch;

  /// Elements of the buffer up to and with the last one; without any, those before it.
  std::uint64_t span() const;
  /// The place in the buffer of index (i, j) of matrix `which` of the batch.
  std::uint64_t at(std::int64_t which, std::int64_t i, std::int64_t j) const;
  /// The distance in the buffer between neighbours of the first and of the second index.
  std::int64_t step_first() const { return second_contiguous ? leading : 1; }
  std::int64_t step_second() const { return second_contiguous ? 1 : leading; }
};

/// A, B and C. Throws ArgumentError with every reason: rows that overlap, matrices of C that do, alpha,
/// beta or another number that the accumulator does not hold.
std::array<GemmArray, 3> matrices_of(const GemmCall& call, const std::vector<std::int64_t>& size);

/// What the epilogue reads, in order. At (i, j) of each lies what belongs to C(i, j): a bias is a
/// matrix whose rows, or columns, are one.
std::vector<GemmArray> epilogue_inputs_of(const GemmCall& call,
                                          const std::vector<std::int64_t>& size);

/// The arguments of the kernel `call.form()`.
Arguments gemm_arguments(const GemmCall& call, const std::vector<std::int64_t>& size);

/// {M, N, K} as kernels see them.
std::vector<std::int64_t> kernel_shape(const GemmCall& call, const std::vector<std::int64_t>& size);

}  // namespace vkmoye::gen
