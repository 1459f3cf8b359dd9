// SPDX-License-Identifier: MIT
// The requirements that a user's vkCreateDevice must enable.

#include "vkmoye/runtime/requirements.hpp"

#include <string>

#include "runtime/shaders.hpp"
#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "support/guarded_buffer.hpp"
#include "support/their_device.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/runtime/vk/context.hpp"

namespace vkmoye::test {
namespace {

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

std::string row_name(const char* kernel, ScalarType type) {
  return std::string(kernel) + " " + std::string(to_string(type));
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

// A feature that is core in a later version needs its extension if the instance or the device is older.
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
  EXPECT_REFUSED(required_for({&kernel}, caps), KernelError,
                 AllOf(HasSubstr("k: needs the feature cooperative_matrix, the device lacks it"),
                       Not(HasSubstr("feature f16"))));
}

TEST(Requirements, OfADeviceThatVkmoyeCannotUseAreRefusedForThatReasonAlone) {
  const KernelInterface kernel = kernel_with({Feature::f16});
  DeviceCaps caps;
  caps.name = "old";
  caps.why_unusable = "needs Vulkan 1.2; the driver has 1.1";
  EXPECT_REFUSED(required_for({&kernel}, caps), KernelError,
                 AllOf(HasSubstr("old"), HasSubstr(caps.why_unusable), Not(HasSubstr("f16"))));
}

TEST(Requirements, GoIntoTheUsersChainWhicheverStructuresItHas) {
  const KernelInterface kernel = kernel_with({Feature::f16, Feature::f64});
  const DeviceRequirements needs = required_for({&kernel}, able_device());
  VkPhysicalDeviceFeatures2 features = {};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  EXPECT_REFUSED(enable(needs, features), ArgumentError,
                 AllOf(HasSubstr("VkPhysicalDeviceVulkan12Features::shaderFloat16 or "
                                 "VkPhysicalDeviceShaderFloat16Int8Features::shaderFloat16"),
                       HasSubstr("timelineSemaphore"), Not(HasSubstr("shaderFloat64"))));
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

// Every feature has a bit, except those that are properties of subgroups.
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

// A VkDevice of the user with exactly the requirements, in a chain that has structures for all features.
class TheirOwnDevice : public DeviceTest {
 protected:
  static AdoptedDevice created(const Device& owner, const DeviceRequirements& needs,
                               const DeviceCaps& caps) {
    VkPhysicalDeviceVulkan12Features v12 = {};
    v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    VkPhysicalDeviceVulkan11Features v11 = {};
    v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    VkPhysicalDeviceVulkan13Features v13 = {};
    v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix = {};
    matrix.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR;
    VkPhysicalDeviceFeatures2 features = {};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features.pNext = &v11;
    v11.pNext = &v12;
    v12.pNext = &v13;
    if (caps.has(Feature::cooperative_matrix)) v13.pNext = &matrix;
    enable(needs, features);
    std::vector<const char*> extensions = needs.extensions;
    const bool pushes = owner.context()->device->max_push_descriptors() > 0;
    if (pushes) {
      extensions.insert(extensions.end(), needs.useful_extensions.begin(),
                        needs.useful_extensions.end());
    }
    AdoptedDevice theirs = handles_in(owner);
    const float priority = 1;
    VkDeviceQueueCreateInfo queue = {};
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueFamilyIndex = theirs.queue_family;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = &features;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    EXPECT_EQ(function<PFN_vkCreateDevice>(theirs, "vkCreateDevice")(theirs.physical_device, &info,
                                                                     nullptr, &theirs.device),
              VK_SUCCESS);
    function<PFN_vkGetDeviceQueue>(theirs, "vkGetDeviceQueue")(theirs.device, theirs.queue_family,
                                                               0, &theirs.queue);
    theirs.features = needs.features;
    theirs.push_descriptors = pushes;
    return theirs;
  }
  static void destroy(const AdoptedDevice& theirs) {
    function<PFN_vkDestroyDevice>(theirs, "vkDestroyDevice")(theirs.device, nullptr);
  }
  static DeviceCaps caps_before(const Device& owner) {
    const DeviceHandles given = handles_of(owner);
    return caps_of(given.get_instance_proc_addr, given.instance, given.physical_device,
                   VK_API_VERSION_1_3);
  }

 private:
  template <class Function>
  static Function function(const AdoptedDevice& theirs, const char* name) {
    return reinterpret_cast<Function>(theirs.get_instance_proc_addr(theirs.instance, name));
  }
};

// From a physical device to a result.
TEST_F(TheirOwnDevice, RunsWithWhatIsRequired) {
  for_each_device([&](Device& owner) {
    const CompiledKernel code = affine_kernel();
    const DeviceCaps caps = caps_before(owner);
    AdoptedDevice theirs =
        created(owner, required_for({&code.interface}, caps, VK_API_VERSION_1_3), caps);
    theirs.kernels = {&code.interface};
    {
      Device device = Device::adopt(theirs);
      GuardedBuffer a(device, 400), b(device, 400);
      write_as(a, std::vector<std::uint32_t>(100, 20));
      device.run(device.load(code), {a.view(), b.view()}, {{"n", 100}});
      EXPECT_EQ(read_as<std::uint32_t>(b), std::vector<std::uint32_t>(100, 41));
    }
    destroy(theirs);
  });
}

// Each kernel on a device with only its own requirements: the layer reports SPIR-V that needs more.
TEST_F(TheirOwnDevice, LoadsEachKernelWithItsRequirements) {
  for_each_device([&](Device& owner) {
    const DeviceCaps caps = caps_before(owner);
    int loaded = 0;
    for (const char* name : {"copy/simple", "reduce/sum", "softmax/rows", "gemm/simt",
                             "gemm/coopmat", "transpose/auto"}) {
      for (const ScalarType type : {ScalarType::f16, ScalarType::f64, ScalarType::i8}) {
        const gen::KernelEntry& entry = *gen::find_kernel(name);
        SCOPED_TRACE(row_name(name, type));
        gen::KernelRequest request = gen::request_of(type);
        request.device = caps;
        CompiledKernel code;
        try {
          code = gen::compile(entry.describe(request), caps);
        } catch (const KernelError&) {
          continue;  // the kernel does not exist for this type or device
        }
        const DeviceRequirements needs = required_for({&code.interface}, caps, VK_API_VERSION_1_3);
        const AdoptedDevice theirs = created(owner, needs, caps);
        {
          OpenOptions options;
          options.cache = false;
          Device device = Device::adopt(theirs, options);
          device.load(code);
          ++loaded;
        }
        destroy(theirs);
      }
    }
    EXPECT_GT(loaded, 6);
  });
}

}  // namespace
}  // namespace vkmoye::test
