// SPDX-License-Identifier: MIT
#pragma once
// Measures the time of a launch.
//
//   submit   | t0 launch t1 launch t2 ... launch tn |      samples t1-t0, t2-t1, ...
//
// An idle GPU runs at a fraction of its clock rate, and needs some hundred milliseconds of uninterrupted work to reach
// it. So the same work runs first without being measured, and each batch is submitted before the results of the last
// one are read. A barrier separates any two launches: each begins when the one before it has finished and its writes
// are visible.

#include <cstddef>
#include <span>
#include <vector>

#include "vkmoye/runtime/device.hpp"

namespace vkmoye {

/// How long to warm up, and when to end.
struct TimeOptions {
  double warm_up_seconds = 0.5;
  // Sampling ends when both minima are reached, or one of the maxima. At least one sample is taken.
  double min_seconds = 0.5;
  std::size_t min_samples = 10;
  double max_seconds = 20;  // also limits the warm-up
  std::size_t max_samples = 100000;
  double batch_seconds = 0.02;  // the duration of one submit
};

/// What measured the time: timestamps of the device, or the host.
enum class Clock { device, host };

struct Timing {
  std::vector<double> samples_us;  // in the order in which they were taken, never empty
  /// Clock::host: the device has no timestamps. A sample is then the mean of the launches of one submit, from the call
  /// to the end of the wait.
  Clock clock = Clock::device;
};

/// Throws DeviceError, and ArgumentError for a duration that is negative, infinite or NaN.
Timing measure(Device& device, const Launch& launch, const TimeOptions& options = {});

/// Measures several launches that run in order, each after the writes of the earlier ones are visible to it. A sample
/// is the time of all of them. Also throws ArgumentError if there are no launches.
Timing measure(Device& device, std::span<const Launch> launches, const TimeOptions& options = {});

/// Measures a vkCmdCopyBuffer from `from` to the start of `to`, as a baseline.
Timing measure_copy(Device& device, const BufferView& from, const BufferView& to,
                    const TimeOptions& options = {});

}  // namespace vkmoye
