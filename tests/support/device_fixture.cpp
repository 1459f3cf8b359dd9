// SPDX-License-Identifier: MIT
#include "support/device_fixture.hpp"

#include <cstdio>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

#include "vkmoye/base/error.hpp"

namespace vkmoye::test {
namespace {

bool is_chosen(const DeviceCaps& caps) {
  const char* part = std::getenv("VKMOYE_TEST_DEVICE");
  return part == nullptr || caps.name.find(part) != std::string::npos;
}

// NVIDIA's driver cannot be loaded again after about ten unloads: keeping one device open prevents unloading.
class KeepsDriversLoaded : public testing::Environment {
 public:
  void SetUp() override try {
    const std::vector<DeviceCaps> devices = list_devices();
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (devices[i].why_unusable.empty()) open_.push_back(Device::open(std::to_string(i)));
    }
  } catch (const Error&) {
    // The tests say it.
  }
  void TearDown() override { open_.clear(); }

 private:
  std::vector<Device> open_;
};

[[maybe_unused]] const testing::Environment* const kEnvironment =
    testing::AddGlobalTestEnvironment(new KeepsDriversLoaded);

}  // namespace

void DeviceTest::for_each_device(const std::function<void(Device&)>& body,
                                 const OpenOptions& options) {
  const std::vector<DeviceCaps> devices = list_devices();
  bool any = false;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (!devices[i].why_unusable.empty() || !is_chosen(devices[i])) continue;
    any = true;
    SCOPED_TRACE("device " + std::to_string(i) + ": " + devices[i].name);
    Device device = Device::open(std::to_string(i), validated(options));
    static std::set<std::string> said;
    if (said.insert(devices[i].name).second) std::printf("opened %s\n", devices[i].name.c_str());
    body(device);
  }
  ASSERT_TRUE(any) << "no usable Vulkan device";
}

OpenOptions DeviceTest::validated(OpenOptions options) {
  options.validation = has_validation();
  // lavapipe compiles a kernel when it first runs: up to 20 s, and longer beside other tests.
  const double usual = OpenOptions().wait_seconds;
  if (options.wait_seconds == usual) options.wait_seconds = 10 * usual;
  options.on_validation_message = [this](const std::string& message) {
    const std::lock_guard lock(mutex_);
    messages_.push_back(message);
  };
  return options;
}

bool DeviceTest::has_validation() {
  const char* choice = std::getenv("VKMOYE_TEST_VALIDATION");
  const bool is_on = choice == nullptr || std::string(choice) != "off";
  static bool said = false;
  if (!is_on && !std::exchange(said, true)) std::puts("validation layer: off");
  return is_on;
}

std::vector<std::string> DeviceTest::take_messages() {
  const std::lock_guard lock(mutex_);
  return std::exchange(messages_, {});
}

void DeviceTest::TearDown() {
  for (const std::string& message : take_messages()) {
    ADD_FAILURE() << "validation layer: " << message;
  }
}

}  // namespace vkmoye::test
