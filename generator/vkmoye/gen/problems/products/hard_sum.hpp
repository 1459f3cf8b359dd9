// SPDX-License-Identifier: MIT
#pragma once
// Sums of products of hard numbers, with what a kernel may do to their terms. products/check.hpp has the bound of an
// element that follows.
//
//   operand x      error, before it is multiplied
//   decoded        eps (|x - minimum| + |minimum|), eps of f32: a minimum is added by a multiply-add that need not be
//                  fused; |x - minimum| if the scale is subnormal in f32; a minimum that is a product is rounded to the
//                  type of matrix units, and may become infinite there
//   subnormal      |x|: a device may take it as 0
//   rounded        eps |x| + min(|x|, tiny) of the type of matrix units; beyond its largest number, |x| - largest, or
//                  it is infinite: 65512 in f16 is 65504 if rounded to nearest or truncated, and infinite if rounded up
//
// A term a * b then has the error |a| db + |b| da + da db. It may be NaN if one may be infinite and the other 0. So may
// the sum if a finite operand may become infinite: past the end of k, matrix units multiply operands by zeros.

#include <span>
#include <vector>

#include "vkmoye/gen/numbers/expected.hpp"

namespace vkmoye::gen {

/// How kernels take an operand.
struct OperandRounding {
  double flushed = 0;  // the smallest number that is not taken as 0
  /// The range of the type to which it is rounded; nullptr: it is not rounded.
  const NumberRange* rounded_to = nullptr;
};

/// What a kernel may use in place of an element: a number within `size` of it, 0 or infinity.
struct OperandError {
  double size = 0;
  bool may_be_0 = false, may_be_infinite = false;

  bool operator==(const OperandError&) const = default;
};

/// The error of each element. `decoding`: the errors that elements have before; empty: none.
std::vector<OperandError> operand_errors(std::span<const double> values,
                                         std::span<const OperandError> decoding,
                                         const OperandRounding& rounding);

struct HardSum {
  double value = 0;                   // NaN or infinite only if a term is
  double positive = 0, negative = 0;  // sums of the magnitudes of the terms of each sign
  double error = 0;                   // of the operands
  bool may_be_nan = false;            // or infinite, because an operand may be infinite
};

/// The sum of a[k] * b[k], whose errors are `da` and `db`.
HardSum hard_sum(std::span<const double> a, std::span<const OperandError> da,
                 std::span<const double> b, std::span<const OperandError> db);

}  // namespace vkmoye::gen
