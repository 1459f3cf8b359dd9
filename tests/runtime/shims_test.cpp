// SPDX-License-Identifier: MIT
// The runtime on drivers without a GPU, which have real faults: RADV's shim has only a few GiB of memory; NVK's shim
// executes nothing or loses the device, depending on its version. Since a shim must be preloaded, each test runs in a
// process of its own: this program with kProcess set.

#include "support/shims.hpp"

#include <cstdlib>
#include <string>
#include <vector>

#include "runtime/shaders.hpp"
#include "support/expect.hpp"
#include "support/process.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/device.hpp"

namespace vkmoye::test {
namespace {

constexpr const char* kProcess = "VKMOYE_TEST_HAS_SHIM";

constexpr std::uint64_t kLarge = std::uint64_t{3} << 30;

class ShimsTest : public testing::Test {
 protected:
  static bool is_the_process() { return std::getenv(kProcess) != nullptr; }

  // The output of the running test with `shim` as the only device.
  static std::string output_on(const Shim& shim) {
    std::vector<std::string> environment = shim.environment;
    environment.push_back(std::string(kProcess) + "=1");
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    const Outcome outcome = run({"/proc/self/exe", std::string("--gtest_filter=") +
                                                       test.test_suite_name() + "." + test.name()},
                                environment);
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    return outcome.out;
  }

  static Device open() {
    OpenOptions options;
    options.cache = false;
    return Device::open("", options);
  }
};

#if defined(__SANITIZE_ADDRESS__)
#define VKMOYE_NEEDS(shim) GTEST_SKIP() << "ASan must be loaded before the shim" << shim.missing
#else
#define VKMOYE_NEEDS(shim) \
  if (!shim.missing.empty()) GTEST_SKIP() << shim.missing
#endif

TEST_F(ShimsTest, RadvRefusesMoreThanItsMemory) {
  if (is_the_process()) {
    Device device = open();
    try {
      std::vector<Buffer> buffers;
      while (buffers.size() < 1000) buffers.push_back(device.buffer(kLarge));
      std::puts("gave 3 TB");
    } catch (const DeviceError& error) {
      std::printf("kind %d: %s\n", static_cast<int>(error.kind), error.what());
    }
    EXPECT_EQ(device.buffer(1 << 20).bytes(), 1u << 20);  // the Device is usable
    return;
  }
  const Shim shim = radv_shim();
  VKMOYE_NEEDS(shim);
  EXPECT_THAT(
      output_on(shim),
      HasSubstr("kind " + std::to_string(static_cast<int>(DeviceError::Kind::kOutOfMemory)) +
                ": vmaCreateBuffer(3221225472 bytes) -> VK_ERROR_OUT_OF_"));
}

TEST_F(ShimsTest, NvkLosesTheDeviceOrExecutesNothing) {
  if (is_the_process()) {
    Device device = open();
    Buffer a = device.buffer(256), b = device.buffer(256);
    try {
      device.run(device.load(affine_kernel()), {a, b}, {{"n", 64}});
      std::puts("ran");
    } catch (const DeviceError& error) {
      std::printf("%s\n", error.what());
    }
    return;
  }
  const Shim shim = nvk_shim();
  VKMOYE_NEEDS(shim);
  EXPECT_THAT(output_on(shim), AnyOf(HasSubstr("VK_ERROR_DEVICE_LOST\n"),
                                     HasSubstr("vkGetQueryPoolResults -> VK_NOT_READY\n")));
}

}  // namespace
}  // namespace vkmoye::test
