// SPDX-License-Identifier: MIT
#pragma once
// The definition of one element of C in f64, and which results are correct: check.hpp derives the bound.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vkmoye/gen/numbers/number.hpp"
#include "vkmoye/gen/problems/products/check.hpp"
#include "vkmoye/gen/problems/products/data.hpp"
#include "vkmoye/gen/problems/products/hard_sum.hpp"

namespace vkmoye::gen {

/// A row of A or B.
struct CheckedOperand {
  std::span<const double> values;
  std::span<const OperandError> errors;  // if is_hard(), else empty
};

class ElementCheck {
 public:
  /// `result`: the bytes of C's buffer. All but `data` must outlive this object.
  ElementCheck(const GemmData& data, const GemmOptions& problem, const Extents& size,
               std::span<const std::byte> result, WiderOperand wider);

  /// Whether the error of each operand counts: of hard numbers; and of weights that are multiplied by infinity, which
  /// is NaN if one is rounded to 0.
  bool is_hard() const {
    return problem_.init == Init::hard ||
           (problem_.init == Init::nonfinite && problem_.weights != nullptr);
  }
  /// Row `index` of A or B.
  void load(bool of_a, std::int64_t batch, std::int64_t index, std::span<double> out) const;
  /// The errors of that row, `values`, as the kernel takes it. Precondition: is_hard().
  std::vector<OperandError> errors_of(bool of_a, std::int64_t batch, std::int64_t index,
                                      std::span<const double> values) const;
  /// Compares element (i, j) of C with the product of row i of A and row j of B.
  void compare(std::int64_t batch, std::int64_t i, std::int64_t j, const CheckedOperand& a,
               const CheckedOperand& b, CheckResult& found) const;

 private:
  struct Sums {
    double products = 0, magnitudes = 0;  // sums of a * b and of |a * b|
    HardSum hard = {};                    // if is_hard()
  };
  static Sums dot(const double* a, const double* b, std::int64_t count);
  Sums sums_of(const CheckedOperand& a, const CheckedOperand& b) const;
  std::vector<OperandError> errors_of_decoding(std::int64_t batch, std::int64_t row,
                                               std::span<const double> weights) const;
  bool is_mixed() const;
  Overflow overflow_of(const HardSum& sum, double before) const;
  double bound_of_sum(double magnitude) const;
  double bound_of_flushes(const HardSum& sum, double before) const;
  double bound_of_result(double expected) const;
  std::vector<Expected> finished(std::int64_t batch, std::int64_t i, std::int64_t j, Expected v,
                                 double before, bool& exact) const;
  bool is_result(const Expected& result, bool exact, double got) const;
  bool is_same_special_value(double got, double expected) const;
  double wrapped(double value) const;

  const GemmOptions& problem_;
  const WiderOperand wider_;
  const std::int64_t k_;
  const GemmArray A_, B_, C_;
  const std::vector<GemmArray> input_matrices_;  // offsets of experts, then the epilogue's
  const bool exact_;
  const std::vector<std::byte> a_, b_, c_;  // before the run
  std::vector<std::vector<std::byte>> inputs_;
  const std::span<const std::byte> result_;
  NumberRange accumulator_, steps_, result_range_;
};

}  // namespace vkmoye::gen
