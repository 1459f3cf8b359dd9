// SPDX-License-Identifier: MIT
#pragma once
// A matrix product as a user states it.
//
//   C(M,N) = epilogue(alpha * A(M,K) * B(N,K)^T + beta * C(M,N))
//
//   --size 2x4x3 --a m --lda 5 --offset-a 4      A lies as an array of K rows of M elements:
//
//     . . . .  0 1 . . .  2 3 . . .  4 5         4 elements before it, rows 5 apart
//              k=0        k=1        k=2
//
// Kernels write C with n contiguous. One with m contiguous is the transpose C^T = B * A^T, so A and
// B change places in the kernel, as do M and N, and a bias along them.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/parse.hpp"
#include "vkmoye/contract/kernel_interface.hpp"
#include "vkmoye/gen/kernels/config_fields.hpp"
#include "vkmoye/gen/kernels/gemm_form.hpp"
#include "workloads/gemm_epilogue.hpp"
#include "workloads/packed_file.hpp"

namespace vkmoye::bench {

/// Where an array of rows lies in its buffer, elements. Nothing: one row, one matrix directly
/// behind the other.
struct Placement {
  std::optional<std::int64_t> leading;  // from one row to the next
  std::optional<std::int64_t> stride;   // from one matrix of the batch to the next
  std::int64_t offset = 0;              // from the buffer's start to the first
  bool operator==(const Placement&) const = default;
};

/// What the arrays hold at first.
enum class Init : std::uint8_t {
  random,     // uniform in [-1, 1)
  integers,   // small whole numbers, so few that no sum is rounded
  nonfinite,  // random, with some NaN and infinities
};

struct GemmProblem {
  ScalarType operand = ScalarType::f32;
  ScalarType accumulator = ScalarType::f32;
  ScalarType result = ScalarType::f32;
  bool a_k_contiguous = true, b_k_contiguous = true, c_n_contiguous = true;
  double alpha = 1, beta = 0;
  std::vector<NamedStep> epilogue = {};
  std::int64_t batch = 1;
  std::int64_t slices = 1;  // of k, summed up apart and then together
  Placement a = {}, b = {}, c = {};
  Init init = Init::random;
  std::string packed =
      "none";  // operands that a kernel in fragment order finds packed: "a", "b", "ab"
  std::array<std::optional<PackedOperand>, 2> files = {};  // A and B that come packed
  bool keeps_batch = false;  // the result has three dimensions also for a batch of one

  /// Which kernel computes it.
  gen::GemmForm form() const;
  /// "f16", "f16,f32" or "f16,f32,f16": the shortest that means these three types.
  std::string type_text() const;
};

/// "f32", "f16,f32" or "f16,f32,f16": operands, accumulator, result. One alone: accumulated in 32
/// bits or more, the result as the operands. Two: the result as the accumulator. Throws
/// ArgumentError.
GemmProblem parse_gemm_type(const std::string& text);

/// What of a product the options of the command line say, beside its types and its size.
const std::vector<gen::ConfigField<GemmProblem>>& gemm_problem_fields();

/// One of the arrays with all its numbers.
struct Matrix {
  std::string name;  // A, B, C, bias
  ScalarType type;
  bool second_contiguous;   // else the first index of A(m,k), B(n,k), C(m,n) is
  std::int64_t rows, cols;  // of the array as it lies in memory: cols are contiguous
  std::int64_t leading, stride, offset, batch;

  /// Elements of the buffer up to and with the last one; without any, those before it.
  std::uint64_t span() const;
  /// The place in the buffer of index (i, j) of matrix `batch`.
  std::uint64_t at(std::int64_t which, std::int64_t i, std::int64_t j) const;
  /// The distance in the buffer between neighbours of the first and of the second index.
  std::int64_t step_first() const { return second_contiguous ? leading : 1; }
  std::int64_t step_second() const { return second_contiguous ? 1 : leading; }
};

/// A, B and C of `problem` with `size` {M, N, K}. Throws ArgumentError with every reason: rows
/// that overlap, matrices of C that do, alpha, beta or another number that the accumulator does not
/// hold.
std::array<Matrix, 3> matrices_of(const GemmProblem& problem, const Extents& size);

/// What the epilogue reads, in order. At (i, j) of each lies what belongs to C(i, j): a bias is a
/// matrix whose rows, or columns, are one.
std::vector<Matrix> epilogue_inputs_of(const GemmProblem& problem, const Extents& size);

/// The arguments of the kernel `problem.form()`.
Arguments gemm_arguments(const GemmProblem& problem, const Extents& size);

/// {M, N, K} as kernels see them.
Extents kernel_shape(const GemmProblem& problem, const Extents& size);

/// The options of the command line that make it, without size and types.
std::vector<std::string> gemm_words(const GemmProblem& problem);

}  // namespace vkmoye::bench
