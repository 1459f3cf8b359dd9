// SPDX-License-Identifier: MIT
#include "vkmoye/gen/problems/products/hard_sum.hpp"

#include <algorithm>
#include <cmath>

namespace vkmoye::gen {
namespace {

// Whether rounding may make a finite number infinite.
bool may_round_to_infinity(double value, const OperandError& error) {
  return error.may_be_infinite && std::isfinite(value);
}

}  // namespace

std::vector<OperandError> operand_errors(std::span<const double> values,
                                         std::span<const OperandError> decoding,
                                         const OperandRounding& rounding) {
  std::vector<OperandError> errors;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const OperandError decoded = decoding.empty() ? OperandError() : decoding[k];
    const double size = std::fabs(values[k]), before = decoded.size;
    if (!std::isfinite(size)) {
      errors.push_back({0, false, std::isinf(size)});
      continue;
    }
    OperandError& error = errors.emplace_back();
    error.size = before + (size < rounding.flushed ? size : 0);
    if (rounding.rounded_to != nullptr) {
      const NumberRange& to = *rounding.rounded_to;
      const double largest = size + before;
      error.size = std::max(error.size,
                            before + to.epsilon * largest + std::min(largest, to.smallest_normal));
    }
    error.may_be_0 = size <= error.size;
    if (rounding.rounded_to == nullptr) continue;
    const double beyond = size + before - rounding.rounded_to->largest;
    error.may_be_infinite = decoded.may_be_infinite || beyond > 0;
    error.size += std::max(beyond, 0.0);
  }
  return errors;
}

// In long double, whose range holds sums of products of f64 where it is longer than that.
HardSum hard_sum(std::span<const double> a, std::span<const OperandError> da,
                 std::span<const double> b, std::span<const OperandError> db) {
  long double value = 0, positive = 0, negative = 0, error = 0;
  HardSum sum;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const long double x = a[k], y = b[k], term = x * y;
    value += term;
    if (term > 0) positive += term;
    if (term < 0) negative -= term;
    const OperandError &of_x = da[k], &of_y = db[k];
    const bool may_be_0_times_infinity =
        (of_x.may_be_0 && of_y.may_be_infinite) || (of_y.may_be_0 && of_x.may_be_infinite);
    sum.may_be_nan = sum.may_be_nan || may_be_0_times_infinity ||
                     may_round_to_infinity(a[k], of_x) || may_round_to_infinity(b[k], of_y);
    if (!std::isfinite(a[k]) || !std::isfinite(b[k])) continue;
    error += std::fabs(x) * of_y.size + std::fabs(y) * of_x.size +
             static_cast<long double>(of_x.size) * of_y.size;
  }
  sum.value = static_cast<double>(value);
  sum.positive = static_cast<double>(positive);
  sum.negative = static_cast<double>(negative);
  sum.error = static_cast<double>(error);
  return sum;
}

}  // namespace vkmoye::gen
