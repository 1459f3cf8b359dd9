// SPDX-License-Identifier: MIT
#pragma once
// The fixture of tests whose workgroups wait for each other.

#include <cstdlib>

#include "support/device_fixture.hpp"

namespace vkmoye::test {

class ResidentDeviceTest : public DeviceTest {
 protected:
  /// lavapipe runs one workgroup in each of its threads.
  static constexpr std::uint32_t kGroups = 4;
  static void SetUpTestSuite() { setenv("LP_NUM_THREADS", "4", /*overwrite=*/1); }

  /// Each device that has grid barriers, as one that runs `groups` workgroups at once.
  void for_each_resident(std::uint32_t groups, const std::function<void(Device&)>& body) {
    OpenOptions options;
    options.resident_groups = groups;
    for_each_device(
        [&](Device& device) {
          if (device.caps().has(Feature::grid_barrier)) body(device);
        },
        options);
  }
};

}  // namespace vkmoye::test
