// SPDX-License-Identifier: MIT
// A device that compiles and executes nothing: Mesa's RADV over the drm-shim of package mesa-drm-shim.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/bench.hpp"
#include "support/npy.hpp"

namespace vkmoye::test {
namespace {

using testing::HasSubstr;

// The environment in which such a device is the only one; empty: there is none here.
std::vector<std::string> without_execution() {
  if (std::string(VKMOYE_DRM_SHIM).empty() || std::string(VKMOYE_RADV).empty()) return {};
  return {"AMDGPU_GPU_ID=navi31", "LD_PRELOAD=" VKMOYE_DRM_SHIM, "VK_DRIVER_FILES=" VKMOYE_RADV};
}

class NothingExecuted : public testing::Test {
 protected:
  void SetUp() override {
    if (without_execution().empty()) {
      GTEST_SKIP()
          << "libamdgpu_noop_drm_shim.so or RADV is not installed (packages mesa-drm-shim, "
             "mesa-vulkan-drivers)";
    }
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
  const Outcome outcome =
      bench({"apply", "transpose/padded", "--in", in, "--out", out}, without_execution());
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("executes nothing"));
  EXPECT_EQ(read_file(out), "");
}

TEST_F(NothingExecuted, EmitAndDevicesStillWork) {
  const Outcome devices = bench({"devices"}, without_execution());
  EXPECT_EQ(devices.status, 0) << devices.err;
  EXPECT_THAT(devices.out, HasSubstr("not known, see below"));
  EXPECT_THAT(devices.out, HasSubstr("executes nothing"));
  EXPECT_EQ(bench({"emit", "copy/auto", "--device", "RADV"}, without_execution()).status, 0);
}

}  // namespace
}  // namespace vkmoye::test
