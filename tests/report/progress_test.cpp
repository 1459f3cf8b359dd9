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

// The time that is left changes: only a terminal, which replaces the line, shows it.
TEST(Progress, InAPipeALineNamesItsStep) {
  const std::string text = shown([](Progress& progress) {
    progress.step(2, 7, /*seconds=*/60);
    progress.compile("gemm/simt", "llvmpipe");
    std::this_thread::sleep_for(milliseconds(60));
    progress.step(3, 7, /*seconds=*/50);
    progress.show("timing");
  });
  EXPECT_EQ(text, "[2/7] compiling gemm/simt (llvmpipe), 0 s so far\n");
}

TEST(Progress, TheTimeThatIsLeftIsInAUnitThatFits) {
  EXPECT_EQ(time_left_text(0.2), "about 1 s left");
  EXPECT_EQ(time_left_text(42.4), "about 42 s left");
  EXPECT_EQ(time_left_text(89), "about 89 s left");
  EXPECT_EQ(time_left_text(100), "about 2 min left");
  EXPECT_EQ(time_left_text(3600), "about 60 min left");
  EXPECT_EQ(time_left_text(3 * 3600 + 100), "about 3 h left");
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
