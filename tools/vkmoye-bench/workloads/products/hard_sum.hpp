// SPDX-License-Identifier: MIT
#pragma once
// Sums of products of hard numbers, with what a kernel may do to their terms. products/check.hpp has the bound of an
// element that follows.
//
//   operand x      error, before it is multiplied
//   subnormal      |x|: a device may take it as 0
//   rounded        eps |x| + min(|x|, tiny) of the type of matrix units; beyond its largest number it may be infinite
//   decoded        eps (|x - minimum| + |minimum|), eps of the type of matrix units or of f32: a minimum is added by a
//                  multiply-add that need not be fused; |x - minimum| if the scale is subnormal in f32
//
// A term a * b then has the error |a| db + |b| da + da db.

#include <span>
#include <vector>

#include "workloads/expected.hpp"

namespace vkmoye::bench {

/// How kernels take an operand.
struct OperandRounding {
  double flushed = 0;  // the smallest number that is not taken as 0
  /// Of the type to which it is rounded; nullptr: none.
  const NumberRange* rounded_to = nullptr;
};

/// The error of each element; infinite if it may become infinite.
std::vector<double> operand_errors(std::span<const double> values, const OperandRounding& rounding);

struct HardSum {
  double value = 0;                   // NaN or infinite only if a term is
  double positive = 0, negative = 0;  // sums of the magnitudes of the terms of each sign
  double magnitude_of_a = 0;          // sum of |a[k]|
  double error = 0;                   // of the operands
  bool may_be_nan =
      false;  // an operand that may be 0 or infinite meets one that is or may be the other
};

/// The sum of a[k] * b[k], whose errors are `da` and `db`.
HardSum hard_sum(std::span<const double> a, std::span<const double> da, std::span<const double> b,
                 std::span<const double> db);

}  // namespace vkmoye::bench
