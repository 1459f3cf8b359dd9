// SPDX-License-Identifier: MIT
#include "timing/rules.hpp"

#include <chrono>

#include "timing/statistics.hpp"

namespace vkmoye::bench {

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

}  // namespace vkmoye::bench
