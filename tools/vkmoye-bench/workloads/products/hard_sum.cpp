// SPDX-License-Identifier: MIT
#include "workloads/products/hard_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vkmoye::bench {

std::vector<double> operand_errors(std::span<const double> values,
                                   const OperandRounding& rounding) {
  std::vector<double> errors;
  for (const double value : values) {
    const double size = std::fabs(value);
    double error = size < rounding.flushed ? size : 0;
    if (rounding.rounded_to != nullptr && std::isfinite(value)) {
      const NumberRange& to = *rounding.rounded_to;
      error = std::max(error, to.epsilon * size + std::min(size, to.smallest_normal));
      if (size > to.largest) error = std::numeric_limits<double>::infinity();
    }
    errors.push_back(error);
  }
  return errors;
}

// In long double, whose range holds sums of products of f64 where it is longer than that.
HardSum hard_sum(std::span<const double> a, std::span<const double> da, std::span<const double> b,
                 std::span<const double> db) {
  long double value = 0, positive = 0, negative = 0, error = 0;
  HardSum sum;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const long double x = a[k], y = b[k], term = x * y;
    value += term;
    sum.magnitude_of_a += std::fabs(a[k]);
    if (term > 0) positive += term;
    if (term < 0) negative -= term;
    const bool may_be_0 = std::fabs(a[k]) <= da[k] || std::fabs(b[k]) <= db[k];
    const bool may_be_infinite =
        std::isinf(a[k]) || std::isinf(b[k]) || std::isinf(da[k]) || std::isinf(db[k]);
    if (may_be_0 && may_be_infinite) {
      sum.may_be_nan = true;
    } else if (da[k] != 0 || db[k] != 0) {
      error +=
          std::fabs(x) * db[k] + std::fabs(y) * da[k] + static_cast<long double>(da[k]) * db[k];
    }
  }
  sum.value = static_cast<double>(value);
  sum.positive = static_cast<double>(positive);
  sum.negative = static_cast<double>(negative);
  sum.error = static_cast<double>(error);
  return sum;
}

}  // namespace vkmoye::bench
