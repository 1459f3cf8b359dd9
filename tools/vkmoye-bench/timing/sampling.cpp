// SPDX-License-Identifier: MIT
#include "timing/sampling.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

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

}  // namespace vkmoye::bench
