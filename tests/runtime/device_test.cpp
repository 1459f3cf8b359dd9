// SPDX-License-Identifier: MIT
// Opening devices: the selection, and the errors.

#include "vkmoye/runtime/device.hpp"

#include <cstdlib>

#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/vk/context.hpp"
#include "vkmoye/runtime/vulkan.hpp"

namespace vkmoye::test {
namespace {

class DeviceOpenTest : public DeviceTest {};

TEST_F(DeviceOpenTest, ReportsWhatEveryDeviceHas) {
  for_each_device([&](Device& device) {
    const DeviceCaps& caps = device.caps();
    EXPECT_NE(caps.name, "");
    EXPECT_NE(caps.driver, "");
    EXPECT_EQ(caps.api.substr(0, 2), "1.");
    for (const std::uint32_t groups : caps.max_group_count) EXPECT_GE(groups, 65535u);
    EXPECT_GE(caps.max_workgroup_invocations, 128u);
    EXPECT_GE(caps.max_shared_bytes, 16384u);
    EXPECT_GE(caps.max_push_constant_bytes, 128u);
    EXPECT_GE(caps.max_storage_buffers, 4u);
    EXPECT_GE(caps.max_storage_buffer_bytes, std::uint64_t{1} << 27);
    EXPECT_GE(caps.max_buffer_bytes, std::uint64_t{1} << 30);
    EXPECT_GT(caps.device_memory_bytes, 0u);
    EXPECT_GE(caps.subgroup_size, caps.min_subgroup_size);
    EXPECT_LE(caps.subgroup_size, caps.max_subgroup_size);
    // Vulkan 1.1 requires it on every device with compute.
    EXPECT_TRUE(caps.has(Feature::subgroup_basic));
    EXPECT_TRUE(!caps.has(Feature::subgroup_size_control) || caps.max_workgroup_subgroups > 0);
    EXPECT_EQ(caps.has(Feature::cooperative_matrix), !caps.matrix_shapes.empty());
    for (const MatrixShape& shape : caps.matrix_shapes) {
      EXPECT_GT(shape.m * shape.n * shape.k, 0u);
      EXPECT_NE(shape.a + shape.b + shape.c + shape.result + shape.scope, "");
    }
  });
}

TEST_F(DeviceOpenTest, TakesAnIndexOrAPartOfTheNameInAnyCase) {
  const std::string name = list_devices().front().name;
  EXPECT_EQ(Device::open("0").caps().name, name);
  std::string upper = name.substr(0, 5);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  EXPECT_EQ(Device::open(upper).caps().name.substr(0, 5), name.substr(0, 5));
}

TEST_F(DeviceOpenTest, ListsTheDevicesWhenNoneIsMeant) {
  for (const char* selector : {"no such card", "99", "123456789012345678901234567890"}) {
    EXPECT_REFUSED(Device::open(selector), ArgumentError,
                   AllOf(HasSubstr(selector), HasSubstr(list_devices().front().name)));
  }
}

vk::PhysicalDevice fake(const char* name, DeviceKind kind, const char* refused = "") {
  vk::PhysicalDevice device;
  device.caps.name = name;
  device.caps.kind = kind;
  device.caps.why_unusable = refused;
  return device;
}

TEST(DeviceChoice, PrefersDiscreteThenIntegratedThenVirtualThenCpu) {
  std::vector<vk::PhysicalDevice> devices = {
      fake("other", DeviceKind::other),
      fake("cpu", DeviceKind::cpu),
      fake("virtual", DeviceKind::virtual_gpu),
      fake("integrated", DeviceKind::integrated),
      fake("old discrete", DeviceKind::discrete, "needs Vulkan 1.2"),
      fake("discrete", DeviceKind::discrete)};
  for (const char* name : {"discrete", "integrated", "virtual", "cpu", "other"}) {
    EXPECT_EQ(vk::choose(devices, "").caps.name, name);
    devices.erase(std::find_if(devices.begin(), devices.end(),
                               [&](const auto& device) { return device.caps.name == name; }));
  }
  EXPECT_REFUSED(vk::choose(devices, ""), DeviceError,
                 AllOf(HasSubstr("no usable Vulkan device"), HasSubstr("old discrete"),
                       HasSubstr("needs Vulkan 1.2")));
  EXPECT_REFUSED(vk::choose(devices, "old"), DeviceError, StrEq("old discrete: needs Vulkan 1.2"));
}

TEST(DeviceChoice, AWholeNumberIsAnIndexAndNothingElse) {
  const std::vector<vk::PhysicalDevice> devices = {fake("Card 4090 (7.1)", DeviceKind::discrete),
                                                   fake("Card 1", DeviceKind::discrete)};
  EXPECT_EQ(vk::choose(devices, "1").caps.name, "Card 1");
  EXPECT_EQ(vk::choose(devices, "00").caps.name, "Card 4090 (7.1)");
  EXPECT_EQ(vk::choose(devices, "card").caps.name, "Card 4090 (7.1)");
  EXPECT_EQ(vk::choose(devices, "card 4090").caps.name, "Card 4090 (7.1)");
  EXPECT_EQ(vk::choose(devices, "7.1").caps.name, "Card 4090 (7.1)");
  for (const char* number : {"2", "7", "4090", "18446744073709551616"}) {
    EXPECT_REFUSED(vk::choose(devices, number), ArgumentError,
                   AllOf(HasSubstr(std::string("no device has the index ") + number),
                         HasSubstr("0  Card 4090 (7.1)"), HasSubstr("1  Card 1")));
  }
}

TEST(NoDevice, IsADeviceError) {
  // The loader reads it when an instance is created.
  const char* before = std::getenv("VK_DRIVER_FILES");
  const std::string saved = before != nullptr ? before : "";
  setenv("VK_DRIVER_FILES", "/nonexistent.json", 1);
  const auto expect_none = [](const auto& call) {
    try {
      call();
      ADD_FAILURE() << "found a device";
    } catch (const DeviceError& error) {
      EXPECT_EQ(error.kind, DeviceError::Kind::kNoDevice) << error.what();
    }
  };
  expect_none([] { Device::open(); });
  expect_none([] { list_devices(); });
  if (before != nullptr) {
    setenv("VK_DRIVER_FILES", saved.c_str(), 1);
  } else {
    unsetenv("VK_DRIVER_FILES");
  }
}

TEST(NoDevice, NamesTheFunctionThatALoaderLacks) {
  EXPECT_REFUSED(
      open_through([](VkInstance, const char*) -> PFN_vkVoidFunction { return nullptr; }),
      DeviceError, "vkEnumerateInstanceVersion");
}

}  // namespace
}  // namespace vkmoye::test
