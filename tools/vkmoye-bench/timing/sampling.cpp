// SPDX-License-Identifier: MIT
#include "timing/sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <vector>

namespace vkmoye::bench {

Timing sample(const TimeOptions& options, Clock clock,
              const std::function<std::vector<double>(std::uint32_t count)>& run) {
  using HostClock = std::chrono::steady_clock;
  constexpr double kMaxBatch = 1000;
  const auto seconds_since = [](HostClock::time_point start) {
    return std::chrono::duration<double>(HostClock::now() - start).count();
  };
  run(1);  // may choose an algorithm, or load code
  std::uint32_t count = 1;
  const auto batch = [&] {
    const std::vector<double> times = run(count);
    const double mean =
        std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
    count = static_cast<std::uint32_t>(
        std::clamp(options.batch_seconds * 1e6 / std::max(mean, 1e-3), 1.0, kMaxBatch));
    return times;
  };
  for (const auto start = HostClock::now();
       seconds_since(start) < std::min(options.warm_up_seconds, options.max_seconds);) {
    batch();
  }
  Timing timing;
  timing.clock = clock;
  std::vector<double>& samples = timing.samples_us;
  const auto start = HostClock::now();
  do {
    const std::vector<double> times = batch();
    samples.insert(samples.end(), times.begin(), times.end());
  } while (samples.size() < options.max_samples && seconds_since(start) < options.max_seconds &&
           (samples.size() < options.min_samples || seconds_since(start) < options.min_seconds));
  return timing;
}

Timing sample_until_quiet(const TimingRules& rules,
                          const std::function<Timing(const TimeOptions&)>& take) {
  using HostClock = std::chrono::steady_clock;
  const auto start = HostClock::now();
  const auto seconds_left = [&] {
    return rules.times.max_seconds -
           std::chrono::duration<double>(HostClock::now() - start).count();
  };
  Timing timing = take(rules.times);
  TimeOptions more = rules.times;
  more.warm_up_seconds = 0;
  while (rules.stop_noise && noise_percent(timing) > *rules.stop_noise && seconds_left() > 0 &&
         timing.samples_us.size() < rules.times.max_samples) {
    more.max_seconds = seconds_left();
    const Timing next = take(more);
    timing.samples_us.insert(timing.samples_us.end(), next.samples_us.begin(),
                             next.samples_us.end());
  }
  return timing;
}

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
