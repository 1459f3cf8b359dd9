// SPDX-License-Identifier: MIT
// Eight threads use the runtime as its headers allow: a Device, its Pipelines and Launches are shared; Buffers,
// Recorders, PlanRecorders and Pendings are used by one thread at a time. The thread-safety checks of the validation
// layer are on; the preset `tsan` runs the same tests under ThreadSanitizer.

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/shaders.hpp"
#include "support/expect.hpp"
#include "support/guarded_buffer.hpp"
#include "support/their_device.hpp"
#include "threads/eight_threads.hpp"
#include "vkmoye/runtime/plan_recorder.hpp"
#include "vkmoye/runtime/vk/context.hpp"

namespace vkmoye::test {
namespace {

// A plan that runs the affine kernel twice, through scratch.
CompiledPlan affine_plan() {
  CompiledPlan plan;
  plan.name = "affine twice";
  plan.arrays = {{"A", 4 * kCount}, {"C", 4 * kCount}};
  plan.scratch = {{"between", 4 * kCount}};
  plan.steps = {{affine_kernel(), {{"n", kCount}}, {0, 2}},
                {affine_kernel(), {{"n", kCount}}, {2, 1}}};
  return plan;
}

class ThreadsTest : public EightThreadsTest {};

TEST_F(ThreadsTest, RunAndSubmitOnOneDevice) {
  for_each_device([&](Device& device) {
    const Pipeline shared = device.load(affine_kernel());
    std::atomic<int> wrong{0};
    in_threads([&](std::uint32_t t) {
      GuardedBuffer a(device, 4 * kCount), b(device, 4 * kCount);
      const Launch launch = device.prepare(shared, {a.view(), b.view()}, {{"n", kCount}});
      for (int i = 0; i < rounds(); ++i) {
        const std::uint32_t first = 1000 * t + static_cast<std::uint32_t>(i);
        write_as(a, numbers(first));
        if (i % 3 == 0) {
          device.run(launch);
        } else if (i % 3 == 1) {
          Pending pending = device.submit(launch);
          pending.wait();
        } else {
          device.submit(launch);  // dropped at once
          device.run(shared, {a.view(), b.view()}, {{"n", kCount}});
        }
        wrong += read_as<std::uint32_t>(b) != affine(first);
      }
      EXPECT_EQ(a.damage() + b.damage(), "");
    });
    EXPECT_EQ(wrong, 0);
  });
}

TEST_F(ThreadsTest, ShareALaunch) {
  for_each_device([&](Device& device) {
    GuardedBuffer a(device, 4 * kCount), b(device, 4 * kCount);
    write_as(a, numbers(5));
    const Launch launch =
        device.prepare(device.load(affine_kernel()), {a.view(), b.view()}, {{"n", kCount}});
    in_threads([&](std::uint32_t) {
      for (int i = 0; i < rounds(); ++i)
        i % 8 == 0 ? (void)device.run(launch) : (void)device.submit(launch);
    });
    device.run(launch);
    EXPECT_EQ(read_as<std::uint32_t>(b), affine(5));
  });
}

TEST_F(ThreadsTest, RecordWithARecorderAndAPlanRecorderEach) {
  for_each_device([&](Device& device) {
    std::atomic<int> wrong{0};
    in_threads([&](std::uint32_t t) {
      GuardedBuffer a(device, 4 * kCount), b(device, 4 * kCount);
      Recorder once(device, affine_kernel(), {.recordings = 1});
      PlanRecorder twice(device, affine_plan(), {.recordings = 1});
      for (int i = 0; i < rounds(); ++i) {
        const std::uint32_t first = 1000 * t + static_cast<std::uint32_t>(i);
        write_as(a, numbers(first));
        const bool by_plan = i % 2 == 1;
        device.context()->commands->run(
            [&](VkCommandBuffer commands) {
              if (by_plan) {
                twice.record(commands, {a.payload(), b.payload()});
              } else {
                once.record(commands, {a.payload(), b.payload()}, {{"n", kCount}});
              }
            },
            nullptr);
        once.reset();
        twice.reset();
        wrong += read_as<std::uint32_t>(b) != affine(first, by_plan ? 2 : 1);
      }
    });
    EXPECT_EQ(wrong, 0);
  });
}

// The transfers of one Device share its staging buffer, which grows from 64 KiB to the size of the largest transfer.
TEST_F(ThreadsTest, TransferThroughTheStagingBuffer) {
  OpenOptions options;
  options.direct_access = false;
  for_each_device(
      [&](Device& device) {
        const Pipeline pipeline = device.load(affine_kernel());
        std::atomic<int> wrong{0};
        in_threads([&](std::uint32_t t) {
          for (int i = 0; i < (rounds() + 7) / 8; ++i) {
            const std::uint32_t count = kCount << (t + static_cast<std::uint32_t>(i)) % 12;
            Buffer a = device.buffer(4 * count), b = device.buffer(4 * count);
            const std::vector<std::uint32_t> start = numbers(1000 * t, count);
            a.write(std::as_bytes(std::span(start)));
            // read() comes after it.
            device.submit(device.prepare(pipeline, {a, b}, {{"n", count}}));
            std::vector<std::uint32_t> got(count);
            b.read(std::as_writable_bytes(std::span(got)));
            wrong += got != affine(1000 * t, 1, count);
          }
        });
        EXPECT_EQ(wrong, 0);
      },
      options);
}

// One thread at a time, but different threads. VKMOYE_TEST_RACE leaves out the lock: sanitize_threads of
// tools/steps.sh expects ThreadSanitizer to report this. Resetting an unused pool twice at the same time is
// harmless.
TEST_F(ThreadsTest, ARecorderIsHandedFromThreadToThread) {
  const bool races = std::getenv("VKMOYE_TEST_RACE") != nullptr;
  for_each_device([&](Device& owner) {
    Device device = Device::adopt(handles_in(owner));  // without pushed descriptors: from a pool
    GuardedBuffer a(device, 4 * kCount), b(device, 4 * kCount);
    Recorder recorder(device, affine_kernel(), {.recordings = 1});
    std::mutex mutex;
    std::atomic<int> wrong{0};
    in_threads([&](std::uint32_t t) {
      if (races) {
        recorder.reset();
        return;
      }
      for (int i = 0; i < (rounds() + 7) / 8; ++i) {
        const std::lock_guard lock(mutex);
        write_as(a, numbers(1000 * t));
        device.context()->commands->run(
            [&](VkCommandBuffer commands) {
              recorder.record(commands, {a.payload(), b.payload()}, {{"n", kCount}});
            },
            nullptr);
        recorder.reset();
        wrong += read_as<std::uint32_t>(b) != affine(1000 * t);
      }
    });
    EXPECT_EQ(wrong, 0);
  });
}

// Repeatedly creates and destroys the same and other kernels, and objects made from them.
TEST_F(ThreadsTest, LoadKernelsAndMakePlans) {
  for_each_device([&](Device& device) {
    std::atomic<int> wrong{0};
    const CompiledKernel kernels[] = {affine_kernel(), increment_kernel(), affine_kernel(false)};
    const CompiledPlan plan = affine_plan();
    in_threads([&](std::uint32_t t) {
      for (int i = 0; i < (rounds() + 7) / 8; ++i) {
        Buffer a = device.buffer(4 * kCount), b = device.buffer(4 * kCount);
        const std::vector<std::uint32_t> start = numbers(t);
        a.write(std::as_bytes(std::span(start)));
        const std::size_t which = (t + static_cast<std::uint32_t>(i)) % 3;
        const Pipeline pipeline = device.load(kernels[which]);
        const PlanRecorder recorder(device, plan, {.recordings = 2});
        wrong += recorder.arrays().size() != 2;
        if (which == 1) {
          device.run(pipeline, {a}, {{"n", kCount}});
        } else {
          device.run(pipeline, {a, b}, {{"n", kCount}});
        }
        std::vector<std::uint32_t> got(kCount);
        (which == 1 ? a : b).read(std::as_writable_bytes(std::span(got)));
        wrong += got != (which == 1 ? numbers(t + 1) : affine(t));
      }
    });
    EXPECT_EQ(wrong, 0);
  });
}

// The user's other threads use the queue under a lock, which adopted devices take as well.
TEST_F(ThreadsTest, AdoptedDevicesTakeTheUsersLock) {
  for_each_device([&](Device& owner) {
    std::mutex queue;
    AdoptedDevice theirs = handles_in(owner);
    theirs.lock_queue = [&] { queue.lock(); };
    theirs.unlock_queue = [&] { queue.unlock(); };
    const auto idle = function_of<PFN_vkQueueWaitIdle>(owner, "vkQueueWaitIdle");
    std::atomic<int> wrong{0};
    in_threads([&](std::uint32_t t) {
      if (t == 0) {
        for (int i = 0; i < rounds() / 4; ++i) {
          const std::lock_guard lock(queue);
          idle(theirs.queue);
        }
        return;
      }
      Device device = Device::adopt(theirs);
      GuardedBuffer a(device, 4 * kCount), b(device, 4 * kCount);
      const Launch launch =
          device.prepare(device.load(affine_kernel()), {a.view(), b.view()}, {{"n", kCount}});
      write_as(a, numbers(t));
      for (int i = 0; i < rounds() / 4; ++i) device.run(launch);
      wrong += read_as<std::uint32_t>(b) != affine(t);
    });
    EXPECT_EQ(wrong, 0);
  });
}

// Shows that the checks of the layer are on: eight threads use one queue without a lock. Drivers wait for an idle
// queue under a lock of their own, so that only the layer notices.
TEST_F(ThreadsTest, TheLayerSeesThreadsAtOneQueue) {
  if (!has_validation()) GTEST_SKIP() << "VKMOYE_TEST_VALIDATION=off";
  for_each_device([&](Device& device) {
    const VkQueue queue = handles_of(device).queue;
    const auto idle = function_of<PFN_vkQueueWaitIdle>(device, "vkQueueWaitIdle");
    std::atomic<bool> found{false};
    in_threads([&](std::uint32_t) {
      for (int i = 0; i < 20000 && !found; ++i) {
        idle(queue);
        for (const std::string& message : take_messages()) {
          found = found || message.find("simultaneously used") != std::string::npos;
        }
      }
    });
    EXPECT_TRUE(found);
    take_messages();
  });
}

}  // namespace
}  // namespace vkmoye::test
