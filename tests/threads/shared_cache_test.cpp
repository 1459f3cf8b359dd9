// SPDX-License-Identifier: MIT
// Threads, Devices and processes that share a pipeline cache folder. The file is replaced atomically, so that a
// reader always finds a valid file.

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <span>
#include <string>
#include <vector>

#include "runtime/shaders.hpp"
#include "support/expect.hpp"
#include "support/process.hpp"
#include "threads/eight_threads.hpp"
#include "vkmoye/runtime/vk/cache_file.hpp"
#include "vkmoye/runtime/vk/context.hpp"

namespace vkmoye::test {
namespace {

class SharedCacheTest : public EightThreadsTest {
 protected:
  // Creates the cache of the folder with a first Device, so that later Devices find one.
  SharedCacheTest() {
    options_.cache_folder = folder_.path();
    Device device = Device::open("", options_);
    driver_ = device.context()->physical.identity;
    device.load(affine_kernel());
  }

  static auto was_loaded() { return AllOf(StartsWith("loaded "), Not(HasSubstr("not saved"))); }

  std::string file() const { return folder_.file(vk::cache_file_name(driver_)); }
  // Why the file is not used; "" if it is valid.
  std::string refusal() const {
    const std::string bytes = read_file(file());
    return vk::decode_cache(driver_, std::as_bytes(std::span(bytes))).refusal;
  }
  // No temporary file is left over.
  void TearDown() override {
    EXPECT_EQ(refusal(), "");
    int files = 0;
    for ([[maybe_unused]] const auto& found : std::filesystem::directory_iterator(folder_.path())) {
      ++files;
    }
    EXPECT_EQ(files, 1);
    EightThreadsTest::TearDown();
  }

  const TemporaryFolder folder_;
  OpenOptions options_ = validated();
  vk::DriverIdentity driver_;
};

TEST_F(SharedCacheTest, DevicesOfOneFolder) {
  std::atomic<int> wrong{0};
  in_threads([&](std::uint32_t t) {
    for (int i = 0; i < (rounds() + 199) / 200; ++i) {
      Device device = Device::open("", options_);
      Buffer a = device.buffer(4 * kCount), b = device.buffer(4 * kCount);
      const std::vector<std::uint32_t> start = numbers(t);
      a.write(std::as_bytes(std::span(start)));
      device.run(device.load(affine_kernel(t % 2 == 0)), {a, b}, {{"n", kCount}});
      std::vector<std::uint32_t> got(kCount);
      b.read(std::as_writable_bytes(std::span(got)));
      wrong += got != affine(t);
      device.save_cache();
      EXPECT_THAT(device.cache_status(), was_loaded());
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST_F(SharedCacheTest, SavedWhileKernelsAreLoaded) {
  Device device = Device::open("", options_);
  const CompiledKernel kernels[] = {affine_kernel(), increment_kernel(), affine_kernel(false)};
  in_threads([&](std::uint32_t t) {
    for (int i = 0; i < (rounds() + 7) / 8; ++i) {
      if (t % 4 == 0) {
        device.save_cache();
        EXPECT_THAT(device.cache_status(), was_loaded());
      } else {
        device.load(kernels[(t + static_cast<std::uint32_t>(i)) % 3]);
      }
    }
  });
}

// Eight processes run this test with kProcess set and save the same cache; meanwhile this process reads it.
TEST_F(SharedCacheTest, ProcessesOfOneFolder) {
  constexpr const char* kProcess = "VKMOYE_TEST_IS_ONE_OF_EIGHT";
  if (std::getenv(kProcess) != nullptr) {
    for (int i = 0; i < (rounds() + 99) / 100; ++i) {
      Device device = Device::open();  // its cache is in VKMOYE_CACHE_DIR
      device.load(affine_kernel(i % 2 == 0));
      device.save_cache();
      EXPECT_THAT(device.cache_status(), AllOf(StartsWith("loaded "), HasSubstr("; saved ")));
    }
    return;
  }
  std::vector<std::future<Outcome>> processes;
  for (int i = 0; i < kThreads; ++i) {
    processes.push_back(std::async(std::launch::async, [&] {
      return run({"/proc/self/exe", "--gtest_filter=SharedCacheTest.ProcessesOfOneFolder"},
                 {"VKMOYE_CACHE_DIR=" + folder_.path(), std::string(kProcess) + "=1"});
    }));
  }
  for (std::future<Outcome>& process : processes) {
    while (process.wait_for(std::chrono::microseconds(100)) != std::future_status::ready) {
      ASSERT_EQ(refusal(), "");
    }
    const Outcome outcome = process.get();
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("[  PASSED  ] 1 test."));
  }
}

}  // namespace
}  // namespace vkmoye::test
