// SPDX-License-Identifier: MIT
// A device that compiles but executes nothing: Mesa's RADV on the drm-shim of package mesa-drm-shim.

#include "cli/bench.hpp"
#include "support/expect.hpp"
#include "support/npy.hpp"
#include "support/shims.hpp"

namespace vkmoye::test {
namespace {

// The environment in which this is the only device.
std::vector<std::string> without_execution() { return radv_shim().environment; }

class NothingExecuted : public testing::Test {
 protected:
  void SetUp() override {
    if (!radv_shim().missing.empty()) GTEST_SKIP() << radv_shim().missing;
  }
};

TEST_F(NothingExecuted, RunAndSuiteRefuseToVerifyAndToTime) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"run", "copy/auto", "--size", "64x64"},
        {"run", "copy/auto", "--size", "64x64", "--verify", "off"},
        {"suite", "--quick"}}) {
    const Outcome outcome = bench(command, without_execution());
    EXPECT_EQ(outcome.status, 3) << outcome.out << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr("NAVI31) executes nothing"));
  }
}

TEST_F(NothingExecuted, ApplyWritesNothing) {
  const TemporaryFolder folder;
  const std::string in = folder.file("a.npy"), out = folder.file("b.npy");
  write_file(in, npy("<f4", "(2, 3)", std::string(24, '\1')));
  expect_refused(
      bench({"apply", "transpose/padded", "--in", in, "--out", out}, without_execution()),
      "executes nothing", 3);
  EXPECT_EQ(read_file(out), "");
}

TEST_F(NothingExecuted, EmitAndDevicesStillWork) {
  const Outcome devices = bench({"devices"}, without_execution());
  EXPECT_THAT(output_of(devices), HasSubstr("not known, see below"));
  EXPECT_THAT(devices.out, HasSubstr("executes nothing"));
  EXPECT_EQ(bench({"emit", "copy/auto", "--device", "RADV"}, without_execution()).status, 0);
}

// Depending on its version, NVK's shim loses the device or executes nothing.
TEST(NothingExecutedByNvk, IsNeitherVerifiedNorTimed) {
  const Shim shim = nvk_shim();
  if (!shim.missing.empty()) GTEST_SKIP() << shim.missing;
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"run", "copy/auto", "--size", "64x64"}, {"suite", "--quick"}}) {
    const Outcome outcome = bench(command, shim.environment);
    EXPECT_THAT(outcome.status, AnyOf(3, 5)) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err,
                HasSubstr(outcome.status == 3 ? "executes nothing" : "VK_ERROR_DEVICE_LOST"));
  }
}

}  // namespace
}  // namespace vkmoye::test
