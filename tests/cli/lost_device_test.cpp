// SPDX-License-Identifier: MIT
// A device is lost while vkmoye-bench uses it: exit status 5, an error message, no output file, and every Vulkan
// object destroyed. faulty_vulkan simulates the loss.

#include <cstdlib>
#include <filesystem>

#include "cli/bench.hpp"
#include "support/expect.hpp"
#include "support/npy.hpp"

namespace vkmoye::test {
namespace {

class LostDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(VKMOYE_FAULTY_VULKAN "/libvulkan.so.1") ||
        !std::filesystem::exists(VKMOYE_REAL_VULKAN)) {
      GTEST_SKIP() << "faulty_vulkan lies on the machine that built it";
    }
  }

  static Outcome bench_with(const std::string& fault, const std::vector<std::string>& command) {
    return bench(command, {"LD_LIBRARY_PATH=" VKMOYE_FAULTY_VULKAN,
                           "VKMOYE_REAL_VULKAN=" VKMOYE_REAL_VULKAN, "VKMOYE_FAULT=" + fault});
  }

  static void expect_lost(const Outcome& outcome, const std::string& call) {
    expect_refused(outcome, call + " -> VK_ERROR_DEVICE_LOST", 5);
    EXPECT_THAT(outcome.err, HasSubstr("faulty_vulkan: left: nothing\n"));
  }
};

TEST_F(LostDevice, WithoutAFaultAllIsWellAndDestroyed) {
  const Outcome outcome = bench_with("", {"run", "copy/auto", "--size", "64x64"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("faulty_vulkan: left: nothing\n"));
}

TEST_F(LostDevice, AtAnyWaitIsStatus5AndEverythingIsDestroyed) {
  for (const int after : {0, 1, 2, 4}) {
    SCOPED_TRACE(after);
    expect_lost(bench_with("vkWaitForFences=-4+" + std::to_string(after),
                           {"run", "gemm/simt", "--size", "64x64x64"}),
                "vkWaitForFences");
  }
}

TEST_F(LostDevice, AtASubmitIsStatus5AndEverythingIsDestroyed) {
  for (const int after : {0, 3}) {
    SCOPED_TRACE(after);
    expect_lost(bench_with("vkQueueSubmit=-4+" + std::to_string(after),
                           {"run", "copy/auto", "--size", "64x64"}),
                "vkQueueSubmit");
  }
}

TEST_F(LostDevice, WhileASuiteRuns) {
  expect_lost(bench_with("vkWaitForFences=-4+40", {"suite", "--quick"}), "vkWaitForFences");
}

TEST_F(LostDevice, ApplyWritesNothing) {
  const TemporaryFolder folder;
  const std::string in = folder.file("a.npy"), out = folder.file("b.npy");
  write_file(in, npy("<f4", "(2, 3)", std::string(24, '\1')));
  expect_lost(
      bench_with("vkWaitForFences=-4+1", {"apply", "transpose/padded", "--in", in, "--out", out}),
      "vkWaitForFences");
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(LostDevice, MemoryThatIsNotGivenIsSaidWithItsSize) {
  const Outcome outcome =
      bench_with("vkAllocateMemory=-2+0", {"run", "copy/auto", "--size", "1000x1000"});
  expect_refused(outcome, "vmaCreateBuffer(128 bytes) -> VK_ERROR_OUT_OF_DEVICE_MEMORY", 3);
  EXPECT_THAT(outcome.err, HasSubstr("faulty_vulkan: left: nothing\n"));
}

}  // namespace
}  // namespace vkmoye::test
