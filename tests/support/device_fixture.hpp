// SPDX-License-Identifier: MIT
#pragma once
// Base of the tests that run on a device: each Vulkan device found, under the Khronos validation
// layer with synchronization validation; any message of the layer fails the test.
//
//   class CopyTest : public DeviceTest {};
//   TEST_F(CopyTest, Copies) {
//     for_each_device([&](Device& device) { ... });
//   }
//
// In the environment, VKMOYE_TEST_DEVICE=H200 takes the devices alone whose name has that part, and
// VKMOYE_TEST_VALIDATION=off runs without the layer, where it is not installed.

#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "vkmoye/runtime/device.hpp"

namespace vkmoye::test {

class DeviceTest : public testing::Test {
 protected:
  /// Calls `body` with each usable device in turn, opened with `options` and closed again. The first
  /// time that a device opens says so on stdout: run_device_tests looks for it.
  void for_each_device(const std::function<void(Device&)>& body, const OpenOptions& options = {});

  /// `options` with validation on and its messages collected here.
  OpenOptions validated(OpenOptions options = {});
  static bool has_validation();

  /// What the layer has said since the last call. A test that provokes it takes the messages; those
  /// not taken fail the test.
  std::vector<std::string> take_messages();

  void TearDown() override;

 private:
  std::mutex mutex_;
  std::vector<std::string> messages_;
};

}  // namespace vkmoye::test
