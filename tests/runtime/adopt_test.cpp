// SPDX-License-Identifier: MIT
// Adopting a user's Vulkan device: kernels run on it and are recorded into the user's command buffers, and the user's
// objects stay unchanged.

#include "runtime/shaders.hpp"
#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "support/guarded_buffer.hpp"
#include "support/their_device.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/vk/context.hpp"

namespace vkmoye::test {
namespace {

class AdoptTest : public DeviceTest {};

TEST_F(AdoptTest, UsesAndLeavesTheUsersDevice) {
  for_each_device([&](Device& owner) {
    int locks = 0, unlocks = 0;
    {
      AdoptedDevice theirs = handles_in(owner);
      theirs.lock_queue = [&] { ++locks; };
      theirs.unlock_queue = [&] { ++unlocks; };
      Device device = Device::adopt(theirs);
      EXPECT_EQ(device.caps().name, owner.caps().name);
      GuardedBuffer a(device, 400), b(device, 400);
      write_as(a, std::vector<std::uint32_t>(100, 20));
      device.run(device.load(affine_kernel()), {a.view(), b.view()}, {{"n", 100}});
      EXPECT_EQ(read_as<std::uint32_t>(b), std::vector<std::uint32_t>(100, 41));
      EXPECT_EQ(b.damage(), "");
    }
    EXPECT_GT(locks, 0);
    EXPECT_EQ(locks, unlocks);
    // The user's device still works, and when it is destroyed the layer finds no objects of ours.
    Buffer buffer = owner.buffer(16);
    buffer.fill(std::byte{1});
  });
}

TEST_F(AdoptTest, RecordsIntoTheUsersCommandBuffer) {
  for_each_device([&](Device& owner) {
    Device device = Device::adopt(handles_in(owner));
    GuardedBuffer a(device, 400), b(device, 400);
    write_as(a, std::vector<std::uint32_t>(100, 3));
    const Launch launch =
        device.prepare(device.load(affine_kernel()), {a.view(), b.view()}, {{"n", 100}});
    owner.context()->commands->run([&](VkCommandBuffer commands) { record(commands, launch); },
                                   nullptr);
    EXPECT_EQ(read_as<std::uint32_t>(b), std::vector<std::uint32_t>(100, 7));
  });
}

TEST_F(AdoptTest, BelievesNoMoreFeaturesThanWereStated) {
  for_each_device([&](Device& owner) {
    AdoptedDevice theirs = handles_in(owner);
    theirs.features = {};
    Device device = Device::adopt(theirs);
    EXPECT_TRUE(device.caps().features.list().empty());
    EXPECT_TRUE(device.caps().matrix_shapes.empty());
  });
}

// The error names missing features as Vulkan does.
TEST_F(AdoptTest, NamesWhatAKernelNeedsAndWasNotEnabled) {
  for_each_device([&](Device& owner) {
    CompiledKernel kernel = affine_kernel();
    kernel.interface.features = {Feature::f64, Feature::cooperative_matrix};
    AdoptedDevice theirs = handles_in(owner);
    theirs.features = {};
    const auto names_both = AllOf(
        HasSubstr(
            "needs the feature f64, which the device has, but AdoptedDevice::features does not "
            "list; enable VkPhysicalDeviceFeatures::shaderFloat64"),
        Not(HasSubstr("lacks it")),
        HasSubstr("VkPhysicalDeviceCooperativeMatrixFeaturesKHR::cooperativeMatrix and "
                  "VkPhysicalDeviceVulkan12Features::vulkanMemoryModel"),
        HasSubstr("VK_KHR_cooperative_matrix"));
    Device device = Device::adopt(theirs);
    EXPECT_REFUSED(device.load(kernel), KernelError, names_both);
    theirs.kernels = {&kernel.interface};
    EXPECT_REFUSED(Device::adopt(theirs), ArgumentError, AllOf(HasSubstr("affine: "), names_both));
    kernel.interface.features = {};
    Device::adopt(theirs);
  });
}

TEST_F(AdoptTest, RefusesWhatCannotBe) {
  for_each_device([&](Device& owner) {
    EXPECT_REFUSED(Device::adopt({}), ArgumentError,
                   AllOf(HasSubstr("get_instance_proc_addr is null"), HasSubstr("queue is null")));
    AdoptedDevice theirs = handles_in(owner);
    theirs.lock_queue = [] {};
    EXPECT_REFUSED(Device::adopt(theirs), ArgumentError, "belong together");
    theirs = handles_in(owner);
    theirs.queue_family = 1000;
    EXPECT_REFUSED(Device::adopt(theirs), ArgumentError,
                   "queue family 1000 has no compute support");
    theirs = handles_in(owner);
    theirs.api_version = VK_API_VERSION_1_1;
    EXPECT_REFUSED(Device::adopt(theirs), ArgumentError, "needs Vulkan 1.2");
  });
}

}  // namespace
}  // namespace vkmoye::test
