// SPDX-License-Identifier: MIT
// Kernels that require a subgroup size: they get it, or loading them fails.

#include "runtime/shaders.hpp"
#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "support/fake_devices.hpp"
#include "support/guarded_buffer.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye::test {
namespace {

class SubgroupTest : public DeviceTest {};

TEST_F(SubgroupTest, AKernelGetsEverySizeThatTheDeviceOffers) {
  for_each_device([&](Device& device) {
    const DeviceCaps& caps = device.caps();
    for (std::uint32_t lanes = caps.min_subgroup_size; lanes <= caps.max_subgroup_size;
         lanes *= 2) {
      GuardedBuffer dst(device, 64 * 8);
      device.run(device.load(subgroup_kernel(lanes)), {dst.view()}, {});
      const auto found = read_as<std::uint32_t>(dst);
      for (std::uint32_t t = 0; t < 64; ++t) {
        EXPECT_EQ(found[2 * t], lanes);
        EXPECT_EQ(found[2 * t + 1], t);
      }
      EXPECT_EQ(dst.damage(), "");
    }
  });
}

TEST_F(SubgroupTest, AnotherSizeIsRefusedBeforeAPipelineIsMade) {
  for_each_device([&](Device& device) {
    EXPECT_REFUSED(device.load(subgroup_kernel(2)), KernelError, "needs subgroups of 2 lanes");
  });
}

std::vector<std::string> reasons(std::uint32_t lanes, const DeviceCaps& caps,
                                 std::uint32_t threads = 64) {
  KernelInterface kernel = subgroup_kernel(lanes).interface;
  kernel.workgroup_size = {threads, 1, 1};
  return reasons_against(kernel, caps);
}

TEST(SubgroupSize, IsChosenFromARangeOrFixed) {
  EXPECT_THAT(reasons(8, lavapipe_like()), IsEmpty());
  EXPECT_THAT(reasons(32, rdna3_like()), IsEmpty());
  EXPECT_THAT(reasons(64, rdna3_like()), IsEmpty());
  EXPECT_THAT(reasons(16, rdna3_like()),
              ElementsAre("needs subgroups of 16 lanes, the device has 32 to 64"));
  EXPECT_THAT(reasons(64, h200_like()),
              ElementsAre("needs subgroups of 64 lanes, the device has 32"));
  EXPECT_THAT(
      reasons(64, rdna3_like(), 96),
      ElementsAre("its workgroups of 96 threads cannot be split into subgroups of 64 lanes"));
}

TEST(SubgroupSize, OfADeviceThatChoosesByItselfIsNoSizeToRelyOn) {
  DeviceCaps fixed = h200_like(), varying = rdna3_like(), few = rdna3_like();
  fixed.features = varying.features = {Feature::subgroup_basic};
  EXPECT_THAT(reasons(32, fixed), IsEmpty());
  EXPECT_THAT(reasons(32, varying),
              ElementsAre("needs subgroups of 32 lanes, the device has 32 to 64, and the size "
                          "cannot be chosen (subgroup_size_control)"));
  few.max_workgroup_subgroups = 1;
  EXPECT_THAT(reasons(32, few), ElementsAre("needs 2 subgroups in a workgroup, the device has 1"));
}

}  // namespace
}  // namespace vkmoye::test
