// SPDX-License-Identifier: MIT
#include "devices/time_launches.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "devices/execution.hpp"
#include "timing/sampling.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::bench {
namespace {

// More than the largest known caches of GPUs (256 MiB).
constexpr std::uint64_t kFlushBytes = std::uint64_t{384} << 20;
constexpr std::int64_t kElementsOfRow = 4096;
constexpr int kTimes = 3;

// Evicts everything from the caches by reading a large buffer. What this leaves there need not be written back, which
// would take time from the kernel that follows: 27 us instead of 25 on an H200.
class CacheFlush {
 public:
  explicit CacheFlush(Device& device)
      : device_(device),
        rows_(std::min<std::uint64_t>(kFlushBytes, device.caps().max_storage_buffer_bytes) / 4 /
              kElementsOfRow),
        from_(device.buffer(4 * rows_ * kElementsOfRow)),
        to_(device.buffer(4 * rows_)),
        launch_(make_launch()) {}

  // Several times, so that the device is busy for most of the time and does not lower its clocks.
  void run() {
    for (int i = 0; i < kTimes; ++i) device_.run(launch_);
  }

 private:
  Launch make_launch() {
    const gen::ir::Kernel sum =
        gen::find_kernel("reduce/sum")
            ->describe(
                {.form = gen::ElementsForm(
                     ScalarType::u32, Extents{static_cast<std::int64_t>(rows_), kElementsOfRow}),
                 .device = device_.caps()});
    return device_.prepare(device_.load(gen::compile(sum)), {from_, to_},
                           {{"rows", rows_}, {"cols", kElementsOfRow}});
  }

  Device& device_;
  std::uint64_t rows_;  // of kElementsOfRow elements of 4 bytes
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
