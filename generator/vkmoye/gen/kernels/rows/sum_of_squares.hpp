// SPDX-License-Identifier: MIT
#pragma once
// The root of the mean of the squares of a row, for every normal number of its type.
//
// Squares of f32 and bf16 leave the range of f32: (2e18)^2 of 128 numbers is infinite, (1e-20)^2 rounds to few bits. So
// there is a sum for each part of the range, and one is chosen at the end of a row. f16 and shorter types need one sum.
//
//   sum         x^2                of rows with a sum of squares from 2^-70 to 2^98
//   large_sum   (x * 2^-84)^2      above; at most 2^120 for 2^32 of the largest number
//   small_sum   (x * 2^84)^2       below, if epsilon is too small to hide them
//
// Squares below 2^-126 may be lost: 2^-94 at most of 2^32 numbers, which is 2^-24 of the least sum that is used.
// Source: Blue, A portable Fortran program to find the Euclidean norm of a vector, 1978.

#include <optional>
#include <string>
#include <vector>

#include "vkmoye/gen/kernels/rows/row_state.hpp"

namespace vkmoye::gen {

/// 1 / sqrt(mean + epsilon) as the product of two factors: the first is a power of two, and neither they nor their
/// products with a number of the row leave the normal numbers.
struct InverseRoot {
  std::optional<Expr> power;  // empty: 1
  Expr rest;

  /// x * power * rest. The first product is computed exactly: a compiler that multiplied the factors first would leave
  /// the range of f32.
  Expr times(Builder& k, const Expr& x) const {
    return power ? k.let_exact("scaled", x * *power) * rest : x * rest;
  }
};

class SumOfSquares {
 public:
  /// `type`: that of the numbers, computed in f32; `epsilon` is added to the mean. `k` must outlive this object.
  SumOfSquares(Builder& k, ScalarType type, double epsilon);

  /// The sums as a part of the state of a row, and the arrays for the sums of slices.
  RowState::Part part() const;
  std::vector<std::string> arrays() const;
  /// The power of two by which the numbers of each sum are multiplied.
  double scale(std::size_t number) const;

  /// Adds the square of each value of x to each of `sums`.
  void add(const View& x, const RowState::Values& sums) const;
  /// A sum plus the square of x; `scaled` names x by the scale.
  Expr plus_square(std::size_t number, const Expr& sum, const Expr& x,
                   const std::string& scaled = "scaled") const;
  /// `shift`: the number by which the numbers were shifted, whose square is therefore subtracted from the mean.
  InverseRoot inverse_root(const RowState::Values& sums, const Expr& count,
                           const std::optional<Expr>& shift = {}) const;

 private:
  struct Sum {
    const char* name;
    int exponent;  // numbers are multiplied by 2^exponent
  };
  static std::vector<Sum> sums_for(ScalarType type, double epsilon);

  Builder& builder_;
  double epsilon_;
  std::vector<Sum> sums_;
};

}  // namespace vkmoye::gen
