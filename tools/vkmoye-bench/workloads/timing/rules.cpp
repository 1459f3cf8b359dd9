// SPDX-License-Identifier: MIT
#include "workloads/timing/rules.hpp"

#include <chrono>
#include <optional>
#include <vector>

#include "report/report.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "workloads/devices/execution.hpp"
#include "workloads/timing/sampling.hpp"

namespace vkmoye::bench {
namespace {

// Two of these are more than the caches of any GPU known to us hold (256 MiB).
constexpr std::uint64_t kFlushBytes = std::uint64_t{192} << 20;

// Writes one large buffer, from another one: what stood in caches before no longer does.
class CacheFlush {
 public:
  explicit CacheFlush(Device& device)
      : device_(device),
        from_(device.buffer(kFlushBytes)),
        to_(device.buffer(kFlushBytes)),
        launch_(make_launch()) {}

  void run() { device_.run(launch_); }

 private:
  Launch make_launch() {
    constexpr std::uint64_t kElements = kFlushBytes / 4;
    const gen::ir::Kernel copy =
        gen::find_kernel("copy/auto")
            ->describe({.type = ScalarType::u32, .device = device_.caps(), .elements = kElements});
    return device_.prepare(device_.load(gen::compile(copy)), {from_, to_},
                           {{"rows", 1}, {"cols", kElements}});
  }

  Device& device_;
  Buffer from_, to_;
  Launch launch_;
};

Timing time_cold(Device& device, CacheFlush& flush, std::span<const Launch> launches,
                 TimeOptions times) {
  times.batch_seconds = 0;  // each sample stands alone
  const Clock clock = device.caps().timestamp_period_ns > 0 ? Clock::device : Clock::host;
  return sample(times, clock, [&](std::uint32_t count) {
    std::vector<double> samples;
    for (std::uint32_t i = 0; i < count; ++i) {
      flush.run();
      double microseconds = 0;
      for (const Launch& launch : launches) microseconds += device.run(launch);
      samples.push_back(microseconds);
    }
    return samples;
  });
}

}  // namespace

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

Timing time_launches(Device& device, std::span<const Launch> launches, const TimingRules& rules) {
  std::optional<CacheFlush> flush;  // one for all rounds: its buffers are large
  if (rules.cold) flush.emplace(device);
  return sample_until_quiet(rules, [&](const TimeOptions& times) {
    return rules.cold ? time_cold(device, *flush, launches, times)
                      : vkmoye::measure(device, launches, times);
  });
}

void require_warm(const TimingRules& rules) {
  if (rules.cold) throw Unavailable("is timed with warm caches alone, the kernel with cold ones");
}

}  // namespace vkmoye::bench
