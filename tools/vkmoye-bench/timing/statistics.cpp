// SPDX-License-Identifier: MIT
#include "timing/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace vkmoye::bench {

double quantile(const Timing& timing, double fraction) {
  std::vector<double> sorted = timing.samples_us;
  std::sort(sorted.begin(), sorted.end());
  const double at = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double noise_percent(const Timing& timing) {
  // The interval from rank n/2 - 0.98 sqrt(n) to n/2 + 0.98 sqrt(n) holds the median in 95 of 100 runs
  // (the normal approximation of the binomial distribution).
  const auto n = static_cast<double>(timing.samples_us.size());
  const double reach = 0.98 / std::sqrt(n), median = quantile(timing, 0.5);
  const double low = quantile(timing, std::max(0.0, 0.5 - reach));
  const double high = quantile(timing, std::min(1.0, 0.5 + reach));
  return median > 0 ? 100 * (high - low) / (2 * median) : 0;
}

std::string noise_text(const Timing& timing, double wanted) {
  return fmt::format(
      "{:.3g} % after {} samples, --stop-noise {:.3g} was not reached within the budget",
      noise_percent(timing), timing.samples_us.size(), wanted);
}

}  // namespace vkmoye::bench
