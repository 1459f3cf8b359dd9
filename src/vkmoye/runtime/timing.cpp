// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/runtime/bound_buffer.hpp"
#include "vkmoye/runtime/vk/barriers.hpp"
#include "vkmoye/runtime/vk/context.hpp"
#include "vkmoye/runtime/vk/timestamps.hpp"
#include "vkmoye/runtime/vulkan.hpp"

namespace vkmoye {
namespace {

using Work = std::function<void(VkCommandBuffer)>;
using HostClock = std::chrono::steady_clock;

constexpr std::uint32_t kMaxBatch = 1000;

double seconds_since(HostClock::time_point start) {
  return std::chrono::duration<double>(HostClock::now() - start).count();
}

// `count` repetitions of the work in one command buffer, which can be submitted repeatedly.
class Batch {
 public:
  Batch(vk::Context& context, const Work& work, std::shared_ptr<const void> keep)
      : context_(context), work_(work), keep_(std::move(keep)), slot_(context.commands->lease()) {
    if (context.caps().timestamp_period_ns <= 0) return;
    VkQueryPoolCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = kMaxBatch + 1;
    queries_ = std::make_shared<vk::Owned<VkQueryPool>>(vk::create<VkQueryPool>(
        "vkCreateQueryPool", context.handle(), context.table().CreateQueryPool,
        context.table().DestroyQueryPool, info));
  }

  bool in_flight() const { return in_flight_; }
  bool counted() const { return counted_; }
  Clock clock() const { return queries_ ? Clock::device : Clock::host; }

  void submit(std::uint32_t count, bool counted) {
    if (count != count_) record(count);
    counted_ = counted;
    submitted_ = HostClock::now();
    // If the wait fails, the device may still write to the queries, so they are kept as long as the device.
    context_.commands->submit(
        slot_.slot(),
        std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(
            keep_, queries_));
    in_flight_ = true;
  }

  // Waits. Returns the microseconds of each repetition, or their mean by the host's clock.
  std::vector<double> collect() {
    context_.commands->wait(*slot_);
    in_flight_ = false;
    if (queries_) return vk::read_intervals_us(context_, queries_->get(), count_);
    return {seconds_since(submitted_) * 1e6 / count_};
  }

 private:
  void record(std::uint32_t count) {
    const vk::DeviceTable& table = context_.table();
    const VkCommandBuffer commands = slot_->buffer;
    const auto stamp = [&](std::uint32_t index) {
      if (!queries_) return;
      table.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_->get(),
                              index);
    };
    count_ = 0;  // until it is complete
    context_.commands->begin(*slot_, /*reusable=*/true);
    if (queries_) table.CmdResetQueryPool(commands, queries_->get(), 0, count + 1);
    stamp(0);
    for (std::uint32_t i = 1; i <= count; ++i) {
      work_(commands);
      vk::order_device_work(table, commands);
      stamp(i);
    }
    context_.commands->end(*slot_);
    count_ = count;
  }

  vk::Context& context_;
  const Work& work_;
  std::shared_ptr<const void> keep_;
  vk::Lease slot_;
  std::shared_ptr<vk::Owned<VkQueryPool>> queries_;  // null: the host's clock is used
  std::uint32_t count_ = 0;
  bool counted_ = false;
  bool in_flight_ = false;
  HostClock::time_point submitted_;
};

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// NaN compares false with every duration, so the loop would never end.
void check_durations(const TimeOptions& options) {
  const std::pair<const char*, double> durations[] = {{"warm_up_seconds", options.warm_up_seconds},
                                                      {"min_seconds", options.min_seconds},
                                                      {"max_seconds", options.max_seconds},
                                                      {"batch_seconds", options.batch_seconds}};
  std::vector<std::string> reasons;
  for (const auto& [name, seconds] : durations) {
    if (!std::isfinite(seconds) || seconds < 0) {
      reasons.push_back(
          fmt::format("{} = {}: must be a finite number of seconds, at least 0", name, seconds));
    }
  }
  if (!reasons.empty()) throw ArgumentError(with_reasons("measure", reasons));
}

Timing measure_work(vk::Context& context, const Work& work, const TimeOptions& options,
                    const std::shared_ptr<const void>& keep) {
  check_durations(options);
  std::array<Batch, 2> batches = {Batch(context, work, keep), Batch(context, work, keep)};
  Timing timing;
  timing.clock = batches[0].clock();

  // The first run may compile or load pages; the second determines how many fill a batch.
  double estimate_us = 0;
  for (int i = 0; i < 2; ++i) {
    const auto start = HostClock::now();
    batches[0].submit(1, /*counted=*/false);
    batches[0].collect();
    estimate_us = seconds_since(start) * 1e6;
  }
  std::uint32_t count = 1;
  const auto choose_count = [&] {
    const double wanted = options.batch_seconds * 1e6 / std::max(estimate_us, 1e-3);
    const auto fitting =
        static_cast<std::uint32_t>(std::clamp(wanted, 1.0, static_cast<double>(kMaxBatch)));
    // Recording again causes a pause, so only for a significant change.
    if (fitting > count + count / 2 || fitting < count - count / 3) count = fitting;
  };
  choose_count();

  const auto begin = HostClock::now();
  auto measuring_since = begin;
  bool warm = false;
  const auto enough = [&] {
    if (timing.samples_us.empty()) return false;
    const double seconds = seconds_since(measuring_since);
    return timing.samples_us.size() >= options.max_samples || seconds >= options.max_seconds ||
           (timing.samples_us.size() >= options.min_samples && seconds >= options.min_seconds);
  };
  // With the host's clock, a second submitted batch would add to the time of the first one.
  const std::size_t depth = timing.clock == Clock::device ? 2 : 1;
  for (std::size_t turn = 0; !enough(); ++turn) {
    Batch& batch = batches[turn % depth];
    if (batch.in_flight()) {
      const std::vector<double> times = batch.collect();
      if (batch.counted()) {
        timing.samples_us.insert(timing.samples_us.end(), times.begin(), times.end());
      } else {
        estimate_us = mean(times);
        choose_count();
      }
    }
    if (!warm && seconds_since(begin) >= std::min(options.warm_up_seconds, options.max_seconds)) {
      warm = true;
      measuring_since = HostClock::now();
    }
    batch.submit(count, warm);
  }
  for (Batch& batch : batches) {
    if (batch.in_flight()) batch.collect();
  }
  if (timing.samples_us.size() > options.max_samples) {
    timing.samples_us.resize(std::max<std::size_t>(1, options.max_samples));
  }
  return timing;
}

}  // namespace

Timing measure(Device& device, std::span<const Launch> launches, const TimeOptions& options) {
  if (launches.empty()) throw ArgumentError("measure: needs at least one launch");
  for (const Launch& launch : launches) {
    if (launch.state()->context == device.context()) continue;
    throw ArgumentError("measure: a launch was prepared on another Device");
  }
  const Work work = [&](VkCommandBuffer commands) {
    for (const Launch& launch : launches) {
      if (&launch != &launches.front()) vk::order_device_work(device.context()->table(), commands);
      vk::record(commands, *launch.state());
    }
  };
  return measure_work(*device.context(), work, options,
                      std::make_shared<std::vector<Launch>>(launches.begin(), launches.end()));
}

Timing measure(Device& device, const Launch& launch, const TimeOptions& options) {
  return measure(device, std::span(&launch, 1), options);
}

Timing measure(Device& device, const Work& work, const TimeOptions& options) {
  return measure_work(*device.context(), work, options, device.context());
}

Timing measure_copy(Device& device, const BufferView& from, const BufferView& to,
                    const TimeOptions& options) {
  const vk::BoundBuffer source = vk::resolve(*device.context(), "measure_copy", from);
  const vk::BoundBuffer target = vk::resolve(*device.context(), "measure_copy", to);
  const auto length = [](const BoundRange& range) {
    const std::uint64_t rest =
        range.offset <= range.memory_bytes ? range.memory_bytes - range.offset : 0;
    return range.bytes <= rest ? range.bytes : 0;
  };
  const VkBufferCopy region = {from.offset, to.offset, length(source.range)};
  if (source.handle == target.handle || region.size == 0 || region.size > length(target.range)) {
    throw ArgumentError(
        "measure_copy: needs two buffers of this Device, the second at least as long as the first");
  }
  const auto keep = std::make_shared<std::array<std::shared_ptr<const vk::BufferState>, 2>>(
      std::array{source.keep, target.keep});
  const Work work = [&](VkCommandBuffer commands) {
    device.context()->table().CmdCopyBuffer(commands, source.handle, target.handle, 1, &region);
  };
  return measure_work(*device.context(), work, options, keep);
}

}  // namespace vkmoye
