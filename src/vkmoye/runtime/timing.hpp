// SPDX-License-Identifier: MIT
#pragma once
// Measures the time of a launch.
//
//   submit   | t0 launch t1 launch t2 ... launch tn |      samples t1-t0, t2-t1, ...
//
// An idle GPU runs at a fraction of its clock rate and needs some hundred milliseconds of work
// without a pause to reach it: so the same work runs first, unmeasured, and the next batch is always
// submitted before the last one is read. Between two launches stands a barrier: each begins when the one
// before it has finished and its writes are visible.

#include <cstddef>
#include <span>
#include <vector>

#include "vkmoye/runtime/device.hpp"

namespace vkmoye {

struct TimeOptions {
  double warm_up_seconds = 0.5;
  double min_seconds = 0.5;  // goes on until both are reached,
  std::size_t min_samples = 10;
  double max_seconds = 20;  // or one of these (the warm-up too); at least one sample is taken
  std::size_t max_samples = 100000;
  double batch_seconds = 0.02;  // of one submit
};

enum class Clock { device, host };

struct Timing {
  std::vector<double> samples_us;  // in the order in which they were taken, never empty
  Clock clock = Clock::device;     // host: the device has no timestamps; a sample is then the mean
                                   // of one submit, from the call to the end of the wait
};

/// Throws ArgumentError for a duration that is negative, infinite or not a number, DeviceError.
Timing measure(Device& device, const Launch& launch, const TimeOptions& options = {});

/// The same for several launches one after the other, each of which sees what those before it wrote:
/// a sample is the time of all. ArgumentError for none.
Timing measure(Device& device, std::span<const Launch> launches, const TimeOptions& options = {});

/// The same for vkCmdCopyBuffer of `from` to the start of `to`: a baseline.
Timing measure_copy(Device& device, const BufferView& from, const BufferView& to,
                    const TimeOptions& options = {});

}  // namespace vkmoye
