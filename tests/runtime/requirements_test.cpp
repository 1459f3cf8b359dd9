// What a user's vkCreateDevice has to enable, told beforehand.

#include "vkmoye/runtime/requirements.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "runtime/shaders.hpp"
#include "support/device_fixture.hpp"
#include "support/guarded_buffer.hpp"
#include "support/their_device.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StrEq;
using testing::ThrowsMessage;

KernelInterface kernel_with(FeatureSet features) {
  KernelInterface kernel;
  kernel.name = "k";
  kernel.features = features;
  return kernel;
}

DeviceCaps able_device() {
  DeviceCaps caps = common_device();
  caps.api = "1.3.250";
  caps.features.add(Feature::cooperative_matrix);
  return caps;
}

std::vector<std::string> names_of(const DeviceRequirements& needs) {
  std::vector<std::string> names;
  for (const RequiredBit& bit : needs.bits) names.push_back(bit.name);
  return names;
}

TEST(Requirements, AreThoseOfAllKernelsEachOnce) {
  const KernelInterface half = kernel_with({Feature::f16, Feature::storage16});
  const KernelInterface matrix = kernel_with({Feature::f16, Feature::cooperative_matrix});
  const DeviceRequirements needs = required_for({&half, &matrix, &half}, able_device());
  EXPECT_THAT(needs.extensions, ElementsAre(StrEq("VK_KHR_cooperative_matrix")));
  EXPECT_THAT(names_of(needs),
              ElementsAre("VkPhysicalDeviceVulkan12Features::shaderFloat16",
                          "VkPhysicalDeviceVulkan11Features::storageBuffer16BitAccess",
                          "VkPhysicalDeviceCooperativeMatrixFeaturesKHR::cooperativeMatrix",
                          "VkPhysicalDeviceVulkan12Features::vulkanMemoryModel",
                          "VkPhysicalDeviceVulkan12Features::vulkanMemoryModelDeviceScope",
                          "VkPhysicalDeviceVulkan12Features::timelineSemaphore"));
  EXPECT_EQ(needs.features,
            (FeatureSet{Feature::f16, Feature::storage16, Feature::cooperative_matrix}));
}

// A feature that became core needs its extension where the instance or the device is older.
TEST(Requirements, DependOnTheVersion) {
  KernelInterface kernel = kernel_with({});
  kernel.workgroup_size = {64, 1, 1};
  kernel.subgroup_size = 32;
  DeviceCaps caps = able_device();
  const auto extensions = [&](std::uint32_t version) {
    return required_for({&kernel}, caps, version).extensions;
  };
  EXPECT_THAT(extensions(VK_API_VERSION_1_2), ElementsAre(StrEq("VK_EXT_subgroup_size_control")));
  EXPECT_THAT(extensions(VK_API_VERSION_1_3), IsEmpty());
  caps.api = "1.2.198";
  EXPECT_THAT(extensions(VK_API_VERSION_1_3), ElementsAre(StrEq("VK_EXT_subgroup_size_control")));
}

TEST(Requirements, RefuseADeviceThatCannot) {
  const KernelInterface kernel = kernel_with({Feature::f16, Feature::cooperative_matrix});
  DeviceCaps caps = common_device();
  caps.features = {Feature::f16};
  EXPECT_THAT([&] { required_for({&kernel}, caps); },
              ThrowsMessage<KernelError>(
                  AllOf(HasSubstr("k: needs the feature cooperative_matrix, the device lacks it"),
                        Not(HasSubstr("feature f16")))));
}

TEST(Requirements, GoIntoTheUsersChainWhicheverStructuresItHas) {
  const KernelInterface kernel = kernel_with({Feature::f16, Feature::f64});
  const DeviceRequirements needs = required_for({&kernel}, able_device());
  VkPhysicalDeviceFeatures2 features = {};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  EXPECT_THAT([&] { enable(needs, features); },
              ThrowsMessage<ArgumentError>(
                  AllOf(HasSubstr("VkPhysicalDeviceVulkan12Features::shaderFloat16 or "
                                  "VkPhysicalDeviceShaderFloat16Int8Features::shaderFloat16"),
                        HasSubstr("timelineSemaphore"), Not(HasSubstr("shaderFloat64")))));
  EXPECT_FALSE(features.features.shaderFloat64);  // none is set

  VkPhysicalDeviceVulkan12Features v12 = {};
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  v12.shaderInt8 = VK_TRUE;
  features.pNext = &v12;
  enable(needs, features);
  EXPECT_TRUE(v12.shaderFloat16 && v12.timelineSemaphore && features.features.shaderFloat64);
  EXPECT_TRUE(v12.shaderInt8 && !v12.bufferDeviceAddress);  // nothing else is changed

  VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {};
  timeline.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
  VkPhysicalDeviceShaderFloat16Int8Features half = {};
  half.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES;
  half.pNext = &timeline;
  features.pNext = &half;
  enable(needs, features);
  EXPECT_TRUE(half.shaderFloat16 && !half.shaderInt8 && timeline.timelineSemaphore);
}

// Every feature has a bit, but for those that are properties of subgroups.
TEST(Requirements, KnowEveryFeature) {
  DeviceCaps caps = able_device();
  for (std::size_t i = 0; i < kFeatureCount; ++i) {
    const auto feature = static_cast<Feature>(i);
    caps.features.add(feature);
    const KernelInterface kernel = kernel_with({feature});
    const bool is_property = std::string(to_string(feature)).starts_with("subgroup_") &&
                             feature != Feature::subgroup_size_control;
    EXPECT_EQ(required_for({&kernel}, caps).bits.size() > 1, !is_property) << to_string(feature);
  }
}

// From nothing but a physical device to a result, on a VkDevice with what was asked for and no more.
class TheirOwnDevice : public DeviceTest {};

TEST_F(TheirOwnDevice, RunsWithWhatIsRequired) {
  for_each_device([&](Device& owner) {
    const DeviceHandles given = handles_of(owner);
    const CompiledKernel code = affine_kernel();
    KernelInterface half = kernel_with({Feature::storage16, Feature::f16});
    const DeviceCaps caps = caps_of(given.get_instance_proc_addr, given.instance,
                                    given.physical_device, VK_API_VERSION_1_3);
    const DeviceRequirements needs =
        required_for({&code.interface, &half}, caps, VK_API_VERSION_1_3);
    VkPhysicalDeviceVulkan12Features v12 = {};
    v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    VkPhysicalDeviceVulkan11Features v11 = {};
    v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    v11.pNext = &v12;
    VkPhysicalDeviceFeatures2 features = {};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features.pNext = &v11;
    enable(needs, features);
    std::vector<const char*> extensions = needs.extensions;
    extensions.insert(extensions.end(), needs.useful_extensions.begin(),
                      needs.useful_extensions.end());
    const float priority = 1;
    VkDeviceQueueCreateInfo queue = {};
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueFamilyIndex = given.queue_family;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = &features;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    const auto function = [&](const char* name) {
      return given.get_instance_proc_addr(given.instance, name);
    };
    AdoptedDevice theirs = handles_in(owner);
    ASSERT_EQ(reinterpret_cast<PFN_vkCreateDevice>(function("vkCreateDevice"))(
                  given.physical_device, &info, nullptr, &theirs.device),
              VK_SUCCESS);
    reinterpret_cast<PFN_vkGetDeviceQueue>(function("vkGetDeviceQueue"))(
        theirs.device, given.queue_family, 0, &theirs.queue);
    theirs.features = needs.features;
    theirs.push_descriptors = true;
    theirs.kernels = {&code.interface, &half};
    {
      Device device = Device::adopt(theirs);
      GuardedBuffer a(device, 400), b(device, 400);
      write_as(a, std::vector<std::uint32_t>(100, 20));
      device.run(device.load(code), {a.view(), b.view()}, {{"n", 100}});
      EXPECT_EQ(read_as<std::uint32_t>(b), std::vector<std::uint32_t>(100, 41));
      EXPECT_TRUE(Recorder(device, code).pushes_descriptors());
    }
    reinterpret_cast<PFN_vkDestroyDevice>(function("vkDestroyDevice"))(theirs.device, nullptr);
  });
}

}  // namespace
}  // namespace vkmoye::test
