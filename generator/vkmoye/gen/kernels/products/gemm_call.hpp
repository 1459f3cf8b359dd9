// SPDX-License-Identifier: MIT
#pragma once
// A matrix product as its user describes it: what is computed, and where its arrays are.
//
//   C(M,N) = epilogue(alpha * A(M,K) * B(N,K)^T + beta * C(M,N))
//
//   {.a_k_contiguous = false, .a = {.leading = 5, .offset = 4}} of 2x4x3: A is stored as K rows of M elements
//
//     . . . .  0 1 . . .  2 3 . . .  4 5         4 elements before it, rows 5 apart
//              k=0        k=1        k=2
//
// Kernels write C with n contiguous. A C with m contiguous is computed as its transpose C^T = B * A^T: for the
// kernel, A and B are exchanged, and so are M and N, and a bias along them.
//
// Sizes are {M, N, K} throughout.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/contract/kernel_interface.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"

namespace vkmoye::gen {

/// The position of an array in its buffer, in elements. nullopt: without gaps between rows, or between matrices.
struct GemmPlacement {
  std::optional<std::int64_t> leading = {};  // from one row to the next
  std::optional<std::int64_t> stride = {};   // from one matrix of the batch to the next
  std::int64_t offset = 0;                   // from the start of the buffer to the first element
  bool operator==(const GemmPlacement&) const = default;
};

/// A step of the epilogue, and its argument if it takes one: {find_epilogue_op("scale"), 0.5}. A user-defined
/// step must outlive the call.
struct AppliedEpilogueOp {
  const EpilogueOp* step = nullptr;
  double number = 0;
  bool operator==(const AppliedEpilogueOp&) const = default;
};

struct GemmCall {
  ScalarType a_type = ScalarType::f32, b_type = ScalarType::f32;
  ScalarType accumulator = ScalarType::f32;
  ScalarType result = ScalarType::f32;
  bool a_k_contiguous = true, b_k_contiguous = true, c_n_contiguous = true;
  double alpha = 1, beta = 0;
  std::vector<AppliedEpilogueOp> epilogue = {};
  std::int64_t batch = 1;
  /// The number of experts, each with rows of A and C and a matrix of B of its own. An array of offsets says where the
  /// rows of each begin. 0: there are no experts. See arrays/expert_rows.hpp. C must have n contiguous.
  std::int64_t experts = 0;
  std::int64_t slices = 1;  // slices of k, each summed separately; a second kernel adds the sums
  GemmPlacement a = {}, b = {}, c = {};
  /// The format of B, see GemmForm::weights; b_type is then kWeightType. C must have n contiguous.
  const WeightFormat* weights = nullptr;

  /// The form of the kernel that computes the product; with slices, of the kernel that sums each slice.
  GemmForm form() const;
  /// Whether the product reads C: beta is not 0, or a step of the epilogue does.
  bool reads_c() const;
  /// The type of alpha, beta and the numbers of the epilogue.
  ScalarType number_type() const { return factor_type(accumulator, result); }
};

/// The epilogue of the kernel. `exchanged`: the kernel computes the transpose, so that its n is m.
GemmEpilogue kernel_epilogue(const std::vector<AppliedEpilogueOp>& epilogue, bool exchanged);

/// One of the arrays, with its position in memory. Weights in blocks are rows of 16-bit words, and so are their leading
/// dimension, stride and offset.
struct GemmArray {
  std::string name;  // A, B, C, bias
  ScalarType type;
  /// Whether the second index of A(m,k), B(n,k), C(m,n) is contiguous; else the first is.
  bool second_contiguous;
  std::int64_t rows, cols;  // extents of the array in memory: cols are contiguous
  std::int64_t leading, stride, offset, batch;

  /// The number of elements of the buffer up to and including the last one of the array; for an empty array, the
  /// elements before it.
  std::uint64_t span() const;
  /// The offset in the buffer of element (i, j) of matrix `which` of the batch.
  std::uint64_t at(std::int64_t which, std::int64_t i, std::int64_t j) const;
  /// The strides of the first and of the second index.
  std::int64_t step_first() const { return second_contiguous ? leading : 1; }
  std::int64_t step_second() const { return second_contiguous ? 1 : leading; }
};

/// A, B and C. Throws ArgumentError with every reason: rows that overlap, matrices of C that overlap, weights
/// whose rows are not whole blocks, or a value of alpha, beta or a step that the accumulator cannot represent.
std::array<GemmArray, 3> matrices_of(const GemmCall& call, const std::vector<std::int64_t>& size);

/// The inputs of the epilogue, in order. Element (i, j) of each belongs to C(i, j): a bias is a matrix
/// whose rows, or columns, have stride 0.
std::vector<GemmArray> epilogue_inputs_of(const GemmCall& call,
                                          const std::vector<std::int64_t>& size);

/// What the kernel reads besides A, B and C, in its order: the offsets of experts, then the inputs of the epilogue.
std::vector<GemmArray> further_inputs_of(const GemmCall& call,
                                         const std::vector<std::int64_t>& size);

/// The arguments of the kernel `call.form()`.
Arguments gemm_arguments(const GemmCall& call, const std::vector<std::int64_t>& size);

/// {M, N, K} as the kernel sees them: exchanged if C has m contiguous.
std::vector<std::int64_t> kernel_shape(const GemmCall& call, const std::vector<std::int64_t>& size);

}  // namespace vkmoye::gen
