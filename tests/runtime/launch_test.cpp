// SPDX-License-Identifier: MIT
// Running kernels: right values, no writes outside, order, split grids.

#include "vkmoye/runtime/launch.hpp"

#include <numeric>

#include "runtime/shaders.hpp"
#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "support/fault_table.hpp"
#include "support/guarded_buffer.hpp"
#include "support/timeline.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye::test {
namespace {

class LaunchTest : public DeviceTest {
 protected:
  // The first device, opened through a fault table, which counts the calls; every transfer is staged.
  Device open_with_table() {
    OpenOptions options = validated();
    options.cache = options.direct_access = false;
    return open_through(FaultTable::get_instance_proc_addr(), "0", options);
  }
};

std::vector<std::uint32_t> counting(std::size_t count) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 0u);
  return values;
}

void expect_affine(Device& device, const Pipeline& pipeline, std::uint32_t n) {
  GuardedBuffer a(device, 4 * n), b(device, 4 * n);
  write_as(a, counting(n));
  const double microseconds = device.run(pipeline, {a.view(), b.view()}, {{"n", n}});
  EXPECT_GE(microseconds, 0);
  std::vector<std::uint32_t> expected = counting(n);
  for (std::uint32_t& value : expected) value = 2 * value + 1;
  EXPECT_TRUE(read_as<std::uint32_t>(b) == expected) << n;
  EXPECT_TRUE(read_as<std::uint32_t>(a) == counting(n)) << n;
  EXPECT_EQ(a.damage() + b.damage(), "") << n;
}

TEST_F(LaunchTest, ComputesAtEverySize) {
  for_each_device([&](Device& device) {
    const Pipeline pipeline = device.load(affine_kernel());
    for (const std::uint32_t n : {1, 63, 64, 65, 1021, 4096}) expect_affine(device, pipeline, n);
  });
}

TEST_F(LaunchTest, SplitsAGridThatIsTooLarge) {
  OpenOptions options;
  options.pretend = [](DeviceCaps& caps) { caps.max_group_count = {3, 2, 1}; };
  for_each_device(
      [&](Device& device) {
        expect_affine(device, device.load(affine_kernel()), 64 * 10 + 1);
        const std::uint32_t cols = 11, rows = 7;
        GuardedBuffer dst(device, 4 * cols * rows);
        device.run(device.load(coordinate_kernel()), {dst.view()},
                   {{"cols", cols}, {"rows", rows}});
        std::vector<std::uint32_t> expected;
        for (std::uint32_t y = 0; y < rows; ++y) {
          for (std::uint32_t x = 0; x < cols; ++x) expected.push_back(x + 1000 * y);
        }
        EXPECT_EQ(read_as<std::uint32_t>(dst), expected);
        EXPECT_EQ(dst.damage(), "");
        // In place, so that a group that runs twice changes the result.
        GuardedBuffer a(device, 4 * 1000);
        write_as(a, counting(1000));
        device.run(device.load(increment_kernel()), {a.view()}, {{"n", 1000}});
        EXPECT_EQ(read_as<std::uint32_t>(a).at(999), 1000u);
        EXPECT_EQ(read_as<std::uint32_t>(a).at(0), 1u);
      },
      options);
}

TEST_F(LaunchTest, DispatchesMoreGroupsThanTheDeviceDoesAtOnce) {
  for_each_device([&](Device& device) {
    const std::uint64_t n = std::uint64_t{device.caps().max_group_count[1]} + 5;
    if (n > 1'000'000) return;  // on this device, no grid that fits is split
    GuardedBuffer dst(device, 4 * n);
    device.run(device.load(coordinate_kernel()), {dst.view()},
               {{"cols", 1}, {"rows", static_cast<std::int64_t>(n)}});
    EXPECT_EQ(read_as<std::uint32_t>(dst).back(), static_cast<std::uint32_t>(1000 * (n - 1)));
    EXPECT_EQ(dst.damage(), "");
  });
}

TEST_F(LaunchTest, SubmittedWorkRunsInOrder) {
  for_each_device([&](Device& device) {
    const Pipeline pipeline = device.load(increment_kernel());
    GuardedBuffer a(device, 4 * 1000);
    write_as(a, std::vector<std::uint32_t>(1000, 0));
    const Launch launch = device.prepare(pipeline, {a.view()}, {{"n", 1000}});
    for (int i = 0; i < 50; ++i) device.submit(launch);  // dropped at once
    Pending last = device.submit(launch);
    last.wait();
    EXPECT_TRUE(last.is_done());
    EXPECT_EQ(read_as<std::uint32_t>(a), std::vector<std::uint32_t>(1000, 51));
  });
}

// Submissions wait for a semaphore of the test: until it is signalled, nothing that they use is destroyed.
TEST_F(LaunchTest, KeepsItsBuffersWhileTheDeviceUsesThem) {
  FaultTable faults;
  {
    Device device = open_with_table();
    Buffer result = device.buffer(4 << 10);
    const auto destroyed = [&] {
      return faults.calls("vkDestroyBuffer") + faults.calls("vkDestroyDescriptorPool") +
             faults.calls("vkDestroyPipeline") + faults.calls("vkFreeMemory");
    };
    const Timeline blocked(device);
    {
      const Pipeline pipeline = device.load(affine_kernel());
      Buffer a = device.buffer(4 << 10), b = device.buffer(4 << 10);
      a.fill(std::byte{1});
      const Arguments arguments = {{"n", 1 << 10}};
      const Launch first = device.prepare(pipeline, {a, b}, arguments);
      const Launch second = device.prepare(pipeline, {b, result}, arguments);
      submit(device, std::vector{first}, {.wait = {blocked.at(1)}});
      device.submit(second);
    }
    EXPECT_EQ(destroyed(), 0);
    blocked.signal(1);
    std::vector<std::uint32_t> found(1 << 10);
    result.read(std::as_writable_bytes(std::span(found)));  // staged: after all that was submitted
    EXPECT_EQ(found, std::vector<std::uint32_t>(1 << 10, 4 * 0x01010101 + 3));
    // Two buffers, two pools, one pipeline. Finished work that nobody waits for is released at the next submission.
    result.fill(std::byte{0});
    EXPECT_GE(destroyed(), 5);
  }
  EXPECT_EQ(faults.leaks(), "");
}

TEST_F(LaunchTest, RefusesBeforeAnyCall) {
  FaultTable faults;
  Device device = open_with_table(), other = open_with_table();
  Buffer a = device.buffer(40), b = device.buffer(36), foreign = other.buffer(40);
  // Invalid calls throw before any call of Vulkan.
  const auto refused = [&](Device& by, const Pipeline& pipeline, const auto& buffers,
                           const Arguments& arguments, const auto& why) {
    const int calls = faults.calls();
    EXPECT_REFUSED(by.run(pipeline, buffers, arguments), ArgumentError, why);
    EXPECT_REFUSED(by.prepare(pipeline, buffers, arguments), ArgumentError, why);
    EXPECT_EQ(faults.calls(), calls);
  };
  using Views = std::vector<BufferView>;
  const Pipeline affine = device.load(affine_kernel());
  const Arguments ten = {{"n", 10}};
  refused(device, affine, Views{a, b}, ten,
          StrEq("affine: b: needs 10 elements of 4 bytes = 40 bytes, got 36"));
  refused(device, affine, Views{a, a}, ten, "overlap in one buffer, and b is written");
  refused(device, affine, Views{a}, {},
          AllOf(HasSubstr("argument 'n' is missing"), HasSubstr("takes 2 buffers (a, b), got 1")));
  refused(device, affine, Views{a, foreign}, ten,
          StrEq("affine: a buffer belongs to another Device"));
  refused(other, affine, Views{foreign, foreign}, ten,
          StrEq("affine: was loaded on another Device"));
  // The same for arrays that are accessed by address.
  const CompiledKernel by_address = copy_kernel(Addressing::pointer);
  if (!reasons_against(by_address.interface, device.caps()).empty()) return;
  const Pipeline copy = device.load(by_address);
  refused(device, copy, Views{a, b}, {{"first", 0}, {"n", 10}},
          StrEq("copy: dst: needs 10 elements of 4 bytes = 40 bytes, got 36"));
  refused(device, copy, Views{a, b}, {{"first", 0}}, "argument 'n' is missing");
}

TEST_F(LaunchTest, RefusesAKernelThatTheDeviceCannotRun) {
  OpenOptions options;
  options.pretend = [](DeviceCaps& caps) {
    caps.features = {};
    caps.max_shared_bytes = 100;
  };
  for_each_device(
      [&](Device& device) {
        CompiledKernel kernel = affine_kernel();
        kernel.interface.features = {Feature::f64};
        kernel.interface.shared_bytes = 4224;
        kernel.spirv = {1, 2, 3};
        try {
          device.load(kernel);
          FAIL() << "loaded";
        } catch (const KernelError& error) {
          EXPECT_THAT(error.reasons,
                      ElementsAre("needs the feature f64, the device lacks it",
                                  "needs 4224 bytes of shared memory, the device has 100",
                                  "its 3 words are not SPIR-V"));
        }
      },
      options);
}

}  // namespace
}  // namespace vkmoye::test
