// SPDX-License-Identifier: MIT
// Timing: enough samples, the right clock, and counters that wrap.

#include "vkmoye/runtime/timing.hpp"

#include <chrono>
#include <limits>

#include "runtime/shaders.hpp"
#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/vk/timestamps.hpp"
#include "vkmoye/runtime/vulkan.hpp"

namespace vkmoye::test {
namespace {

using testing::Ge;

class TimingTest : public DeviceTest {};

constexpr TimeOptions kQuick = {
    .warm_up_seconds = 0.02, .min_seconds = 0.05, .min_samples = 10, .batch_seconds = 0.005};

Launch some_launch(Device& device) {
  Buffer a = device.buffer(4 << 14), b = device.buffer(4 << 14);
  a.fill(std::byte{1});
  return device.prepare(device.load(affine_kernel()), {a, b}, {{"n", 1 << 14}});
}

TEST_F(TimingTest, TakesEnoughSamplesForLongEnough) {
  for_each_device([&](Device& device) {
    const Launch launch = some_launch(device);
    const auto start = std::chrono::steady_clock::now();
    const Timing timing = measure(device, launch, kQuick);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    EXPECT_GE(elapsed.count(), 0.07);
    EXPECT_THAT(timing.samples_us, SizeIs(Ge(10u)));
    EXPECT_THAT(timing.samples_us, Each(Ge(0.0)));
    EXPECT_EQ(timing.clock, device.caps().timestamp_period_ns > 0 ? Clock::device : Clock::host);
  });
}

TEST_F(TimingTest, FallsBackToTheHostsClock) {
  OpenOptions options;
  options.pretend = [](DeviceCaps& caps) { caps.timestamp_period_ns = 0; };
  for_each_device(
      [&](Device& device) {
        const Launch launch = some_launch(device);
        EXPECT_GT(device.run(launch), 0);
        const Timing timing = measure(device, launch, kQuick);
        EXPECT_EQ(timing.clock, Clock::host);
        EXPECT_THAT(timing.samples_us, SizeIs(Ge(10u)));
        EXPECT_THAT(timing.samples_us, Each(testing::Gt(0.0)));
      },
      options);
}

TEST_F(TimingTest, StopsAtMostSamplesOrMostSeconds) {
  for_each_device([&](Device& device) {
    const Launch launch = some_launch(device);
    TimeOptions options = kQuick;
    options.max_samples = 3;
    EXPECT_THAT(measure(device, launch, options).samples_us, SizeIs(3));
    for (double TimeOptions::*const endless :
         {&TimeOptions::min_seconds, &TimeOptions::warm_up_seconds}) {
      options = kQuick;
      options.*endless = 1000;
      options.max_seconds = 0.05;
      EXPECT_THAT(measure(device, launch, options).samples_us, SizeIs(Ge(1u)));
    }
  });
}

TEST_F(TimingTest, RefusesDurationsThatNeverEnd) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for_each_device([&](Device& device) {
    const Launch launch = some_launch(device);
    for (double TimeOptions::*const member :
         {&TimeOptions::warm_up_seconds, &TimeOptions::min_seconds, &TimeOptions::max_seconds,
          &TimeOptions::batch_seconds}) {
      for (const double seconds : {kNan, -kNan, kInfinity, -kInfinity, -1.0}) {
        TimeOptions options = kQuick;
        options.*member = seconds;
        EXPECT_THROW(measure(device, launch, options), ArgumentError) << seconds;
      }
    }
    Buffer a = device.buffer(64), b = device.buffer(64);
    EXPECT_THROW(measure_copy(device, a, b, {.warm_up_seconds = kNan}), ArgumentError);
  });
}

TEST_F(TimingTest, TimesACopy) {
  for_each_device([&](Device& device) {
    Buffer a = device.buffer(1 << 16), b = device.buffer(1 << 16);
    a.fill(std::byte{0x5a});
    b.fill(std::byte{0});
    EXPECT_THAT(measure_copy(device, a, b, kQuick).samples_us, SizeIs(Ge(10u)));
    std::vector<std::byte> copied(1 << 16);
    b.read(copied);
    EXPECT_EQ(copied.back(), std::byte{0x5a});
    EXPECT_THROW(measure_copy(device, a, a, kQuick), ArgumentError);
    Buffer shorter = device.buffer(100);
    EXPECT_THROW(measure_copy(device, a, shorter, kQuick), ArgumentError);
  });
}

TEST_F(TimingTest, RepeatsTheWorkInOrder) {
  for_each_device([&](Device& device) {
    Buffer a = device.buffer(4 * 64);
    a.fill(std::byte{0});
    const Launch launch = device.prepare(device.load(increment_kernel()), {a}, {{"n", 64}});
    measure(device, launch, kQuick);  // under synchronization validation
    std::vector<std::uint32_t> values(64);
    a.read(std::as_writable_bytes(std::span(values)));
    EXPECT_GE(values.front(), 12u);
    EXPECT_THAT(values, Each(values.front()));
  });
}

TEST(TicksBetween, FollowACounterThatWraps) {
  EXPECT_EQ(vk::ticks_between(10, 25, 64), 15u);
  EXPECT_EQ(vk::ticks_between(~std::uint64_t{0}, 4, 64), 5u);
  EXPECT_EQ(vk::ticks_between(0xffffffff0u, 5, 36), 21u);
  EXPECT_EQ(vk::ticks_between(0xfffffff0u, 0x10u, 32), 32u);
}

}  // namespace
}  // namespace vkmoye::test
