// SPDX-License-Identifier: MIT
// Kernels in the user's command buffer, on the user's buffers, with pushed descriptors and with those of a pool.

#include "vkmoye/runtime/recorder.hpp"

#include <optional>

#include "runtime/shaders.hpp"
#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "support/fault_table.hpp"
#include "support/guarded_buffer.hpp"
#include "support/their_device.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/plan_recorder.hpp"
#include "vkmoye/runtime/vk/context.hpp"

namespace vkmoye::test {
namespace {

// The bytes of each array in the user's buffer, a multiple of any alignment.
constexpr std::uint64_t kRoom = 1024;

class RecorderTest : public DeviceTest {
 protected:
  // Calls the test with the user's device and the Device that adopted it: with push descriptors, if supported, and
  // without.
  void for_both_ways(const std::function<void(Device& owner, Device& device)>& body) {
    for_each_device([&](Device& owner) {
      for (const bool pushes : {true, false}) {
        if (pushes && owner.context()->device->max_push_descriptors() == 0) continue;
        SCOPED_TRACE(pushes ? "pushed" : "from a pool");
        AdoptedDevice theirs = handles_in(owner);
        theirs.push_descriptors = pushes;
        Device device = Device::adopt(theirs);
        Recorder recorder(device, affine_kernel());
        EXPECT_EQ(recorder.pushes_descriptors(), pushes);
        body(owner, device);
      }
    });
  }

  // Runs a command buffer of the user.
  static void run(Device& owner, const std::function<void(VkCommandBuffer)>& record) {
    owner.context()->commands->run(record, nullptr);
  }
};

TEST_F(RecorderTest, RecordsManyTimesWithOtherBuffersAndArguments) {
  for_both_ways([&](Device& owner, Device& device) {
    constexpr std::uint32_t kTimes = 7;
    Buffer memory = owner.buffer(2 * kTimes * kRoom);
    std::vector<std::uint32_t> values(2 * kTimes * kRoom / 4, 0xffffffff);
    for (std::uint32_t t = 0; t < kTimes; ++t) {
      for (std::uint32_t i = 0; i < kRoom / 4; ++i) values[2 * t * kRoom / 4 + i] = 100 * t + i;
    }
    memory.write(std::as_bytes(std::span(values)));
    Recorder affine(device, affine_kernel(), {.recordings = kTimes});
    run(owner, [&](VkCommandBuffer commands) {
      for (std::uint32_t t = 0; t < kTimes; ++t) {
        const auto array = [&](std::uint64_t number) {
          return view_of(handle_of(memory), number * kRoom, kRoom);
        };
        affine.record(commands, {array(2 * t), array(2 * t + 1)}, {{"n", 1 + 60 * (t / 2)}});
      }
    });
    std::vector<std::uint32_t> expected = values, got(values.size());
    for (std::uint32_t t = 0; t < kTimes; ++t) {
      for (std::uint32_t i = 0; i < 1 + 60 * (t / 2); ++i) {
        expected[(2 * t + 1) * kRoom / 4 + i] = 2 * (100 * t + i) + 1;
      }
    }
    memory.read(std::as_writable_bytes(std::span(got)));
    EXPECT_EQ(got, expected);
  });
}

// Each recording reads the result of the one before; synchronization validation is on.
TEST_F(RecorderTest, OrdersItselfAmongItsNeighbours) {
  for_both_ways([&](Device& owner, Device& device) {
    Buffer memory = owner.buffer(kRoom);
    memory.fill(std::byte{0});
    Recorder increment(device, increment_kernel(), {.recordings = 5});
    run(owner, [&](VkCommandBuffer commands) {
      for (int t = 0; t < 5; ++t) {
        increment.record(commands, {view_of(handle_of(memory), 0, kRoom)}, {{"n", kRoom / 4}},
                         {.after = kComputePass});
      }
    });
    std::vector<std::uint32_t> got(kRoom / 4);
    memory.read(std::as_writable_bytes(std::span(got)));
    EXPECT_EQ(got, std::vector<std::uint32_t>(kRoom / 4, 5));
  });
}

// Without neighbours, the caller must add barriers: the layer reports a missing one.
TEST_F(RecorderTest, LeavesTheOrderToItsCallerOtherwise) {
  if (!has_validation()) GTEST_SKIP() << "VKMOYE_TEST_VALIDATION=off";
  for_both_ways([&](Device& owner, Device& device) {
    Buffer a = owner.buffer(kRoom), b = owner.buffer(kRoom), c = owner.buffer(kRoom);
    const auto view = [](const Buffer& buffer) { return view_of(handle_of(buffer), 0, kRoom); };
    Recorder affine(device, affine_kernel(), {.recordings = 4});
    for (const bool is_ordered : {true, false}) {
      run(owner, [&](VkCommandBuffer commands) {
        affine.record(commands, {view(a), view(b)}, {{"n", kRoom / 4}});
        affine.record(commands, {view(b), view(c)}, {{"n", kRoom / 4}},
                      {.after = is_ordered ? kComputePass : SyncScope()});
      });
      EXPECT_EQ(take_messages().empty(), is_ordered);
    }
  });
}

TEST_F(RecorderTest, RefusesANullCommandBuffer) {
  for_both_ways([&](Device& owner, Device& device) {
    const auto refused = ThrowsMessage<ArgumentError>(HasSubstr("the VkCommandBuffer is null"));
    Buffer memory = owner.buffer(2 * kRoom);
    const BufferView a = view_of(handle_of(memory), 0, kRoom),
                     b = view_of(handle_of(memory), kRoom, kRoom);
    Recorder affine(device, affine_kernel(), {.recordings = 1});
    const Launch launch = device.prepare(device.load(affine_kernel()), {a, b}, {{"n", 1}});
    EXPECT_THAT([&] { affine.record(VK_NULL_HANDLE, {a, b}, {{"n", 1}}); }, refused);
    EXPECT_THAT([&] { record(VK_NULL_HANDLE, launch); }, refused);
    EXPECT_THAT([&] { record(VK_NULL_HANDLE, std::span(&launch, 1)); }, refused);
  });
}

TEST_F(RecorderTest, SaysThatItsPoolIsExhausted) {
  for_each_device([&](Device& owner) {
    Device device = Device::adopt(handles_in(owner));
    Buffer memory = owner.buffer(2 * kRoom);
    const BufferView a = view_of(handle_of(memory), 0, kRoom),
                     b = view_of(handle_of(memory), kRoom, kRoom);
    Recorder none(device, affine_kernel());
    Recorder two(device, affine_kernel(), {.recordings = 2});
    for (int round = 0; round < 3; ++round) {
      run(owner, [&](VkCommandBuffer commands) {
        EXPECT_REFUSED(none.record(commands, {a, b}, {{"n", 1}}), ArgumentError,
                       "all 0 recordings");
        for (int t = 0; t < 2; ++t) {
          two.record(commands, {a, b}, {{"n", 1}}, {.after = kComputePass});
        }
        EXPECT_REFUSED(
            two.record(commands, {a, b}, {{"n", 1}}), ArgumentError,
            AllOf(HasSubstr("affine: all 2 recordings of RecorderOptions::recordings are used"),
                  HasSubstr("VK_KHR_push_descriptor"), HasSubstr("reset()")));
        two.record(commands, {a, b}, {{"n", 0}});  // nothing runs, so no set is used
      });
      two.reset();
    }
  });
}

TEST_F(RecorderTest, RefusesWhatCannotBeBound) {
  for_both_ways([&](Device& owner, Device& device) {
    Buffer memory = owner.buffer(4 * kRoom);
    const VkBuffer theirs = handle_of(memory);
    Recorder affine(device, affine_kernel(), {.recordings = 1});
    const auto refused = [&](const BufferView& a, const BufferView& b, const auto& why) {
      run(owner, [&](VkCommandBuffer commands) {
        EXPECT_REFUSED(affine.record(commands, {a, b}, {{"n", 256}}), ArgumentError, why);
      });
    };
    const BufferView b = view_of(theirs, kRoom, kRoom);
    refused(view_of(VK_NULL_HANDLE, 0, kRoom), b, "VK_NULL_HANDLE");
    refused(view_of(theirs, 0, kToTheEnd), b, "number of bytes of a VkBuffer");
    refused(view_of(theirs, 0, kRoom - 4), b,
            "a: needs 256 elements of 4 bytes = 1024 bytes, got 1020");
    refused(view_of(theirs, 64 * kRoom, kRoom), b, "reach beyond a buffer");
    refused(view_of(theirs, kRoom / 2, kRoom), b,
            "a (bytes 512 to 1536) and b (bytes 1024 to 2048) overlap in one buffer");
    refused(memory, b, "a buffer belongs to another Device");
    if (device.caps().storage_buffer_alignment > 1) {
      refused(view_of(theirs, 1, kRoom), b, "a: offset 1 is not a multiple");
    }
    Buffer ours = device.buffer(kRoom);
    run(owner, [&](VkCommandBuffer commands) {
      affine.record(commands, {ours, view_of(theirs, kRoom, kRoom)}, {{"n", 256}});
    });
  });
}

// If the driver allocates no descriptor set, the command buffer stays unchanged.
TEST(RecorderFault, RecordsNothingWhereThereIsNoSet) {
  FaultTable faults;
  OpenOptions options;
  options.cache = false;
  Device owner = open_through(FaultTable::get_instance_proc_addr(), "0", options);
  Device device = Device::adopt(handles_in(owner), options);
  Buffer a = device.buffer(kRoom), b = device.buffer(kRoom);
  Recorder affine(device, affine_kernel(), {.recordings = 1});
  owner.context()->commands->run(
      [&](VkCommandBuffer commands) {
        const auto calls = [&] {
          return faults.calls("vkCmdPipelineBarrier") + faults.calls("vkCmdBindPipeline") +
                 faults.calls("vkCmdDispatch");
        };
        const int before = calls();
        const auto record = [&] {
          affine.record(commands, {a, b}, {{"n", 1}}, {kComputePass, kComputePass});
        };
        faults.fail_all("vkAllocateDescriptorSets", VK_ERROR_OUT_OF_POOL_MEMORY);
        EXPECT_THROW(record(), DeviceError);
        EXPECT_EQ(calls(), before);
        faults.fail_all("vkAllocateDescriptorSets", VK_SUCCESS);
        record();  // the one that was not used
        EXPECT_EQ(calls(), before + 4);
      },
      nullptr);
}

// A Recorder that shares a pipeline has descriptor sets and scratch of its own, and outlives the other.
TEST(RecorderFault, SharesWhatItLoaded) {
  FaultTable faults;
  OpenOptions options;
  options.cache = false;
  Device owner = open_through(FaultTable::get_instance_proc_addr(), "0", options);
  Device device = Device::adopt(handles_in(owner), options);  // descriptors are not pushed
  Buffer a = device.buffer(kRoom), b = device.buffer(kRoom);
  const CompiledKernel affine = affine_kernel();
  CompiledPlan plan;
  plan.name = "twice";
  plan.arrays = {{"a", kRoom}, {"b", kRoom}};
  plan.scratch = {{"once", kRoom}};
  plan.steps = {{affine, {{"n", 256}}, {0, 2}}, {affine, {{"n", 256}}, {2, 1}}};
  const auto pipelines = [&] { return faults.calls("vkCreateComputePipelines"); };
  auto of_kernel = std::make_optional<Recorder>(device, affine, RecorderOptions{.recordings = 1});
  auto of_plan =
      std::make_optional<PlanRecorder>(device, plan, PlanRecorderOptions{.recordings = 1});
  EXPECT_EQ(pipelines(), 3);
  Recorder other_kernel = of_kernel->share({.recordings = 1});
  PlanRecorder other_plan = of_plan->share({.recordings = 1});
  EXPECT_EQ(pipelines(), 3);
  EXPECT_REFUSED(of_kernel->share({.specialised = {{"n", 1}}}), ArgumentError,
                 "takes no specialised arguments");
  EXPECT_THROW(of_kernel->share().record(VK_NULL_HANDLE, {a, b}, {{"n", 256}}), ArgumentError)
      << "its pool has no sets, whatever the other has";
  for (const bool is_first : {true, false}) {
    a.fill(std::byte{1});
    b.fill(std::byte{0});
    device.context()->commands->run(
        [&](VkCommandBuffer commands) {
          Recorder& kernel = is_first ? *of_kernel : other_kernel;
          PlanRecorder& twice = is_first ? *of_plan : other_plan;
          kernel.record(commands, {a, b}, {{"n", 256}}, {kComputePass, kComputePass});
          twice.record(commands, {b, a}, {kComputePass, kComputePass});
        },
        nullptr);
    std::vector<std::uint32_t> got(256);
    a.read(std::as_writable_bytes(std::span(got)));
    EXPECT_EQ(got, std::vector<std::uint32_t>(256, 8 * 0x01010101 + 7));
    of_kernel.reset();
    of_plan.reset();
  }
}

// The same views in launches that are prepared once and submitted together.
TEST_F(RecorderTest, LaunchesTakeTheUsersBuffersToo) {
  for_each_device([&](Device& owner) {
    Device device = Device::adopt(handles_in(owner));
    Buffer memory = owner.buffer(2 * kRoom);
    memory.fill(std::byte{0});
    const BufferView a = view_of(handle_of(memory), 0, kRoom),
                     b = view_of(handle_of(memory), kRoom, kRoom);
    const Launch up = device.prepare(device.load(increment_kernel()), {a}, {{"n", 256}});
    const Launch over = device.prepare(device.load(affine_kernel()), {a, b}, {{"n", 256}});
    run(owner, [&](VkCommandBuffer commands) {
      record(commands, std::vector{up, up, over, up}, {.after = kComputePass});
    });
    std::vector<std::uint32_t> got(512);
    memory.read(std::as_writable_bytes(std::span(got)));
    EXPECT_EQ(got[0], 3u);
    EXPECT_EQ(got[511], 5u);
  });
}

}  // namespace
}  // namespace vkmoye::test
