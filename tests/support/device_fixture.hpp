// SPDX-License-Identifier: MIT
#pragma once
// The fixture of tests that run on each Vulkan device, under the Khronos validation layer with synchronization
// validation; any message of the layer fails the test.
//
//   class CopyTest : public DeviceTest {};
//   TEST_F(CopyTest, Copies) {
//     for_each_device([&](Device& device) { ... });
//   }
//
// Environment variables: VKMOYE_TEST_DEVICE=H200 selects the devices whose name contains this text;
// VKMOYE_TEST_VALIDATION=off runs without the layer, if it is not installed.

#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "vkmoye/runtime/device.hpp"

namespace vkmoye::test {

class DeviceTest : public testing::Test {
 protected:
  /// Opens each usable device with `options`, calls `body` with it and closes it. The first time that a device is
  /// opened, prints a line on stdout, which run_device_tests looks for.
  void for_each_device(const std::function<void(Device&)>& body, const OpenOptions& options = {});

  /// `options` with validation on, and its messages collected by the fixture.
  OpenOptions validated(OpenOptions options = {});
  static bool has_validation();

  /// Takes the messages of the layer since the last call. A test that provokes messages must take them; others fail
  /// the test.
  std::vector<std::string> take_messages();

  void TearDown() override;

 private:
  std::mutex mutex_;
  std::vector<std::string> messages_;
};

}  // namespace vkmoye::test
