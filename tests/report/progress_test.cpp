// SPDX-License-Identifier: MIT
// What is shown while a driver compiles, where stderr is a pipe.

#include "io/progress.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

namespace vkmoye::bench {
namespace {

using std::chrono::milliseconds;

// What a pipe gets from `use(progress)`, which waits for 5 ms to be patient.
template <class Use>
std::string shown(Use use) {
  testing::internal::CaptureStderr();
  {
    Progress progress(milliseconds(5));
    use(progress);
  }
  return testing::internal::GetCapturedStderr();
}

TEST(Progress, SaysOnceThatADriverStillCompiles) {
  const std::string text = shown([](Progress& progress) {
    progress.show("[1/2] describing");
    progress.compile("[1/2] gemm/simt f32", "llvmpipe (LLVM 15.0.6)");
    std::this_thread::sleep_for(milliseconds(60));
    progress.show("[1/2] timing");
  });
  EXPECT_EQ(text, "compiling [1/2] gemm/simt f32 (llvmpipe), 0 s so far\n");
}

// lavapipe compiles at the first launch.
TEST(Progress, SaysOnceThatALaunchTakesLong) {
  const std::string text = shown([](Progress& progress) {
    progress.compile("gemm/simt", "llvmpipe");
    progress.launch("gemm/simt", "llvmpipe");
    std::this_thread::sleep_for(milliseconds(60));
  });
  EXPECT_EQ(text, "launching gemm/simt (llvmpipe), 0 s so far\n");
}

TEST(Progress, IsSilentInAPipeOtherwise) {
  testing::internal::CaptureStderr();
  {
    Progress progress;
    progress.compile("gemm/simt", "a device");
    progress.show("timing");
    progress.compile("gemm/simt", "a device");
    progress.clear();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace vkmoye::bench
