// SPDX-License-Identifier: MIT
// Each Vulkan call fails in turn: the error names it, nothing is left over, and the next attempt works. For opened and
// adopted Devices, for recorders of kernels and of plans, with arrays as descriptors and as addresses.

#include <optional>

#include "runtime/shaders.hpp"
#include "support/each_call_fails.hpp"
#include "support/expect.hpp"
#include "support/process.hpp"
#include "support/their_device.hpp"
#include "vkmoye/runtime/vk/context.hpp"

namespace vkmoye::test {
namespace {

constexpr std::uint32_t kCount = 64;
constexpr std::uint64_t kBytes = 4 * kCount;

OpenOptions without_cache() {
  OpenOptions options;
  options.cache = false;
  return options;
}

std::vector<std::uint32_t> words_in(const Buffer& buffer) {
  std::vector<std::uint32_t> words(kCount);
  buffer.read(std::as_writable_bytes(std::span(words)));
  return words;
}

std::vector<std::uint32_t> filled(std::uint32_t word) {
  return std::vector<std::uint32_t>(kCount, word);
}

// A plan of the kernel `copy` from a to b, and of `affine` from b to c.
const Arguments kCopied = {{"first", 0}, {"n", kCount}}, kCounted = {{"n", kCount}};

struct Kernels {
  CompiledKernel copy, affine = affine_kernel();
};

// With `copy` by addresses, if the device supports them.
Kernels kernels_for(const DeviceCaps& caps) {
  const CompiledKernel by_address = copy_kernel(Addressing::pointer);
  if (reasons_against(by_address.interface, caps).empty()) return {by_address};
  return {copy_kernel(Addressing::descriptor)};
}

// Everything that a Device does, with three arrays; in the end the last one is 2 * 0x03030303 + 1.
void use(Device& device, const Kernels& kernels, Retry& retry) {
  const auto buffer = [&] { return retry([&] { return device.buffer(kBytes); }); };
  Buffer a = buffer(), b = buffer(), c = buffer();
  std::vector<std::byte> bytes(kBytes, std::byte{3});
  retry([&] { a.write(bytes); });
  retry([&] { c.fill(std::byte{9}); });
  const Pipeline copy = retry([&] { return device.load(kernels.copy); });
  const Pipeline affine = retry([&] { return device.load(kernels.affine); });
  const auto launch = [&](const Pipeline& kernel, const Buffer& from, const Buffer& to,
                          const Arguments& arguments) {
    return retry([&] { return device.prepare(kernel, {from, to}, arguments); });
  };
  const Launch first = launch(copy, a, b, kCopied), second = launch(affine, b, c, kCounted);
  retry([&] { device.run(first); });
  retry([&] {
    Pending pending = device.submit(second);
    pending.is_done();
    pending.wait();
    EXPECT_TRUE(pending.is_done());
  });
  retry([&] {
    submit(device, std::vector{first, second});  // dropped at once
  });
  retry([&] {
    measure(device, second,
            {.warm_up_seconds = 0, .min_seconds = 0, .min_samples = 1, .max_samples = 1});
  });
  retry([&] { device.save_cache(); });
  EXPECT_EQ(retry([&] { return words_in(c); }), filled(0x06060607));
  EXPECT_EQ(retry([&] { return words_in(a); }), filled(0x03030303));
  retry.ends();
}

class FaultLife : public testing::TestWithParam<VkResult> {};

// Where there are two ways, each half of the results uses one: staged buffers and timeline semaphores, or mapped
// buffers and no semaphores.
bool is_first_way(VkResult result) { return static_cast<int>(result) % 2 == 0; }

// A Device that is opened and does everything.
void open_and_use(VkResult result, AfterFault after) {
  const TemporaryFolder folder;
  FaultTable faults;
  std::optional<Kernels> kernels;
  const auto life = [&](Retry& retry) {
    OpenOptions options;
    options.cache_folder = folder.path();
    options.direct_access = !is_first_way(result);
    Device device =
        retry([&] { return open_through(FaultTable::get_instance_proc_addr(), "0", options); });
    if (!kernels) kernels = kernels_for(device.caps());
    use(device, *kernels, retry);
  };
  EXPECT_GT(each_call_fails(faults, result, life, after), 50);
}

TEST_P(FaultLife, OfADeviceThatIsOpened) { open_and_use(GetParam(), AfterFault::tries_again); }

class FaultTest : public FaultLife {};
TEST_P(FaultTest, AtEachCallIsReportedAndLeavesNothing) {
  open_and_use(GetParam(), AfterFault::gives_up);
}

// The user's objects are not destroyed, and the user's device still works.
TEST_P(FaultLife, OfADeviceThatIsAdopted) {
  FaultTable faults;
  Device owner = open_through(FaultTable::get_instance_proc_addr(), "0", without_cache());
  const Kernels kernels = kernels_for(owner.caps());
  AdoptedDevice theirs = handles_in(owner);
  theirs.timeline_semaphores = is_first_way(GetParam());
  const int thrown = each_call_fails(faults, GetParam(), [&](Retry& retry) {
    Device device = retry([&] { return Device::adopt(theirs, without_cache()); });
    use(device, kernels, retry);
  });
  EXPECT_GT(thrown, 40);
  EXPECT_EQ(faults.calls("vkDestroyDevice") + faults.calls("vkDestroyInstance"), 0);
  Retry none(faults);
  use(owner, kernels, none);
  EXPECT_TRUE(none.errors().empty());
}

// A buffer with several allocations, which are bound on the queue.
TEST_P(FaultLife, OfABufferInPieces) {
  constexpr std::uint64_t kLong = 3 << 20;
  FaultTable faults;
  OpenOptions options = without_cache();
  options.pretend = [](DeviceCaps& caps) { caps.max_allocation_bytes = 1 << 20; };
  Device device = open_through(FaultTable::get_instance_proc_addr(), "0", options);
  if (device.caps().max_sparse_buffer_bytes < kLong) {
    GTEST_SKIP() << "it binds no buffer to several allocations";
  }
  // The objects that the Device keeps for its next command exist before.
  std::vector<std::byte> bytes(kLong, std::byte{5}), found(kLong);
  {
    Buffer first = device.buffer(kLong);
    first.write(bytes);
  }
  const int thrown = each_call_fails(faults, GetParam(), [&](Retry& retry) {
    Buffer buffer = retry([&] { return device.buffer(kLong); });
    retry([&] { buffer.write(bytes); });
    retry([&] { buffer.read(found); });
    EXPECT_TRUE(found == bytes);
  });
  EXPECT_GT(thrown, 5);
}

class FaultLifeOfRecorders : public FaultLife {
 protected:
  // Runs `life` with a Device that adopted the user's; with pushed descriptors and with those of a pool.
  void live(const std::function<void(Device& device, bool pushes, Retry& retry)>& life) {
    for (const bool pushes : {true, false}) {
      if (pushes && owner_.context()->device->max_push_descriptors() == 0) continue;
      SCOPED_TRACE(pushes ? "pushed" : "from a pool");
      AdoptedDevice theirs = handles_in(owner_);
      theirs.push_descriptors = pushes;
      const int thrown = each_call_fails(faults_, GetParam(), [&](Retry& retry) {
        Device device = retry([&] { return Device::adopt(theirs, without_cache()); });
        life(device, pushes, retry);
      });
      EXPECT_GT(thrown, 5);
    }
  }

  // Runs a command buffer of the user, whose own calls do not fail.
  void run(const std::function<void(VkCommandBuffer)>& record) {
    faults_.pause(true);
    owner_.context()->commands->run(
        [&](VkCommandBuffer commands) {
          faults_.pause(false);
          record(commands);
          faults_.pause(true);
        },
        nullptr);
    faults_.pause(false);
  }
  Buffer buffer_of_theirs(std::uint64_t bytes) {
    faults_.pause(true);
    Buffer buffer = owner_.buffer(bytes);
    buffer.fill(std::byte{3});
    // Creates the objects that the owner keeps for the next read, before lives are compared.
    words_in(buffer);
    faults_.pause(false);
    return buffer;
  }
  std::vector<std::uint32_t> words_of_theirs(const Buffer& buffer) {
    faults_.pause(true);
    const auto words = words_in(buffer);
    faults_.pause(false);
    return words;
  }

  FaultTable faults_;
  Device owner_ = open_through(FaultTable::get_instance_proc_addr(), "0", without_cache());
  const Kernels kernels_ = kernels_for(owner_.caps());
};

// The next recording reuses the descriptor set of one that failed: two fit, and two are recorded.
TEST_P(FaultLifeOfRecorders, Kernels) {
  Buffer a = buffer_of_theirs(kBytes), b = buffer_of_theirs(kBytes), c = buffer_of_theirs(kBytes);
  const auto view = [](const Buffer& buffer) { return view_of(handle_of(buffer), 0, kBytes); };
  live([&](Device& device, bool pushes, Retry& retry) {
    const RecorderOptions two = {.recordings = 2};
    Recorder copy = retry([&] { return Recorder(device, kernels_.copy, two); });
    Recorder affine = retry([&] { return Recorder(device, kernels_.affine, two); });
    EXPECT_EQ(affine.pushes_descriptors(), pushes);
    for (int round = 0; round < 2; ++round) {
      run([&](VkCommandBuffer commands) {
        for (int i = 0; i < 2; ++i) {
          retry([&] {
            copy.record(commands, {view(a), view(b)}, kCopied, {.after = kComputePass});
          });
          retry([&] {
            affine.record(commands, {view(b), view(c)}, kCounted, {.after = kComputePass});
          });
        }
      });
      EXPECT_EQ(words_of_theirs(c), filled(0x06060607));
      retry([&] { copy.reset(); });
      retry([&] { affine.reset(); });
    }
  });
}

// a -> two scratch arrays of its own -> c. Descriptor sets of a recording that failed are not used again.
TEST_P(FaultLifeOfRecorders, Plans) {
  CompiledPlan plan;
  plan.name = "three steps";
  plan.arrays = {{"a", kBytes}, {"c", kBytes}};
  plan.scratch = {{"b", kBytes}, {"d", kBytes}};
  plan.steps = {{kernels_.copy, kCopied, {0, 2}},
                {kernels_.affine, kCounted, {2, 3}},
                {kernels_.affine, kCounted, {3, 1}}};
  Buffer a = buffer_of_theirs(kBytes), c = buffer_of_theirs(kBytes);
  const auto view = [](const Buffer& buffer) { return view_of(handle_of(buffer), 0, kBytes); };
  live([&](Device& device, bool, Retry& retry) {
    PlanRecorder recorder = retry([&] { return PlanRecorder(device, plan, {.recordings = 2}); });
    for (int round = 0; round < 2; ++round) {
      run([&](VkCommandBuffer commands) {
        for (int i = 0; i < 2; ++i) {
          retry([&] { recorder.record(commands, {view(a), view(c)}, {.after = kComputePass}); });
        }
      });
      EXPECT_EQ(words_of_theirs(c), filled(0x0c0c0c0f));
      retry([&] { recorder.reset(); });
    }
  });
}

const auto kResults = testing::Values(VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                                      VK_ERROR_DEVICE_LOST, VK_ERROR_INITIALIZATION_FAILED);
INSTANTIATE_TEST_SUITE_P(Results, FaultLife, kResults);
INSTANTIATE_TEST_SUITE_P(Results, FaultTest, kResults);
INSTANTIATE_TEST_SUITE_P(Results, FaultLifeOfRecorders, kResults);

}  // namespace
}  // namespace vkmoye::test
