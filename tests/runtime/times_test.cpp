// SPDX-License-Identifier: MIT
// Times of recorded kernels, read without a wait.

#include "runtime/shaders.hpp"
#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/vk/context.hpp"
#include "vkmoye/runtime/vulkan.hpp"

namespace vkmoye::test {
namespace {

class TimesTest : public DeviceTest {};

// "recording.step" of each time, all of which are positive.
std::vector<std::string> numbers(const std::vector<KernelTime>& times) {
  std::vector<std::string> out;
  for (const KernelTime& time : times) {
    EXPECT_GT(time.microseconds, 0);
    EXPECT_LT(time.microseconds, 10e6);
    out.push_back(std::to_string(time.recording) + "." + std::to_string(time.step));
  }
  return out;
}

TEST_F(TimesTest, AreThoseOfTheRecordingsThatHaveFinished) {
  for_each_device([](Device& device) {
    if (device.caps().timestamp_period_ns <= 0) return;
    Buffer a = device.buffer(4096), b = device.buffer(4096);
    Recorder timed(device, affine_kernel(), {.recordings = 8, .timestamps = 3});
    Recorder untimed(device, affine_kernel(), {.recordings = 8});
    const BufferView views[] = {a, b};
    vk::Commands& commands = *device.context()->commands;
    for (int round = 0; round < 2; ++round) {
      EXPECT_THAT(timed.times(), IsEmpty());
      // Recorded, not submitted: there is no time yet, and asking for it does not wait.
      const vk::Lease slot = commands.lease();
      commands.begin(*slot);
      timed.record(slot->buffer, views, {{"n", 1000}}, {.before = kComputePass});
      timed.record(slot->buffer, views, {{"n", 0}});  // an empty grid takes no time
      untimed.record(slot->buffer, views, {{"n", 1000}}, {.before = kComputePass});
      commands.end(*slot);
      EXPECT_THAT(timed.times(), IsEmpty());
      commands.submit(slot.slot(), nullptr);
      commands.wait(*slot);
      EXPECT_THAT(numbers(timed.times()), ElementsAre("0.0"));
      commands.run(
          [&](VkCommandBuffer more) {
            for (int i = 0; i < 2; ++i) {
              timed.record(more, views, {{"n", 1000}}, {.before = kComputePass});
            }
          },
          nullptr);
      EXPECT_THAT(numbers(timed.times()), ElementsAre("0.0", "2.0")) << "three are timed";
      EXPECT_THAT(untimed.times(), IsEmpty());
      timed.reset();
      untimed.reset();
    }
  });
}

TEST_F(TimesTest, AreThoseOfEachStepOfAPlan) {
  for_each_device([](Device& device) {
    if (device.caps().timestamp_period_ns <= 0) return;
    CompiledPlan plan;
    plan.name = "affine twice";
    plan.arrays = {{"a", 4000}, {"b", 4000}};
    plan.scratch = {{"between", 4000}};
    plan.steps = {{affine_kernel(), {{"n", 1000}}, {0, 2}},
                  {affine_kernel(), {{"n", 1000}}, {2, 1}}};
    PlanRecorder recorder(device, plan, {.recordings = 2, .timestamps = 2});
    Buffer a = device.buffer(4096), b = device.buffer(4096);
    a.fill(std::byte{0});
    device.context()->commands->run(
        [&](VkCommandBuffer commands) {
          recorder.record(commands, {a, b}, {.before = kComputePass});
          recorder.record(commands, {a, b});
        },
        nullptr);
    EXPECT_THAT(numbers(recorder.times()), ElementsAre("0.0", "0.1", "1.0", "1.1"));
    recorder.reset();
    EXPECT_THAT(recorder.times(), IsEmpty());
  });
}

TEST_F(TimesTest, AreRefusedWhereTheDeviceHasNone) {
  for_each_device(
      [](Device& device) {
        EXPECT_NO_THROW(Recorder(device, affine_kernel()));
        EXPECT_REFUSED(Recorder(device, affine_kernel(), {.timestamps = 1}), ArgumentError,
                       "timestamps were requested");
      },
      {.pretend = [](DeviceCaps& caps) { caps.timestamp_period_ns = 0; }});
}

}  // namespace
}  // namespace vkmoye::test
