// SPDX-License-Identifier: MIT
#include "comparison.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace llama {

double compare(const std::vector<double>& expected, const std::vector<float>& got,
               std::uint32_t token, double tolerance) {
  double size = 0, largest = 0;
  for (const double logit : expected) size = std::max(size, std::fabs(logit));
  const double allowed = size * tolerance;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double error = std::fabs(got[i] - expected[i]);
    if (!(error <= allowed)) {
      throw std::runtime_error("logit " + std::to_string(i) + " is " + std::to_string(got[i]) +
                               ", not " + std::to_string(expected[i]) + " within " +
                               std::to_string(allowed));
    }
    largest = std::max(largest, error / allowed);
  }
  const auto best = std::max_element(expected.begin(), expected.end());
  if (expected.at(token) < *best - 2 * allowed) {
    throw std::runtime_error("the token is " + std::to_string(token) + ", not " +
                             std::to_string(best - expected.begin()));
  }
  return largest;
}

}  // namespace llama
