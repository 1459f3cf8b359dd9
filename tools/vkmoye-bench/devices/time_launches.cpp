// SPDX-License-Identifier: MIT
#include "devices/time_launches.hpp"

#include <cstdint>
#include <optional>
#include <vector>

#include "devices/execution.hpp"
#include "timing/sampling.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::bench {
namespace {

// Two of these buffers exceed the largest known GPU caches (256 MiB).
constexpr std::uint64_t kFlushBytes = std::uint64_t{192} << 20;

// Evicts everything from the caches by copying one large buffer to another.
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
  times.batch_seconds = 0;  // one launch per sample
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

Timing time_launches(Device& device, std::span<const Launch> launches, const TimingRules& rules) {
  std::optional<CacheFlush> flush;  // one for all rounds, since its buffers are large
  if (rules.cold) flush.emplace(device);
  return sample_until_quiet(rules, [&](const TimeOptions& times) {
    return rules.cold ? time_cold(device, *flush, launches, times)
                      : vkmoye::measure(device, launches, times);
  });
}

void require_warm(const TimingRules& rules) {
  if (rules.cold) throw Unavailable("can be timed only with warm caches, but --cold was given");
}

}  // namespace vkmoye::bench
