// SPDX-License-Identifier: MIT
#pragma once
// Helpers for tests with threads.
//
//   class CopyTest : public EightThreadsTest {};
//   TEST_F(CopyTest, Copies) {
//     for_each_device([&](Device& device) {
//       in_threads([&](std::uint32_t t) { .. });   // t is 0 to 7
//     });
//   }

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "support/device_fixture.hpp"
#include "support/effort.hpp"

namespace vkmoye::test {

inline constexpr int kThreads = 8;

/// Calls `body(t)` in each of eight threads, which start at the same time.
inline void in_threads(const std::function<void(std::uint32_t)>& body) {
  std::atomic<int> waiting{kThreads};
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (--waiting; waiting > 0;) std::this_thread::yield();
      try {
        body(t);
      } catch (const std::exception& error) {
        ADD_FAILURE() << "thread " << t << ": " << error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// The number of repetitions in each thread: 1000 in total with tools/test all.
inline int rounds() { return static_cast<int>(often(1000, 40)); }

inline constexpr std::uint32_t kCount = 61;

/// first, first + 1, ..
inline std::vector<std::uint32_t> numbers(std::uint32_t first, std::uint32_t count = kCount) {
  std::vector<std::uint32_t> out(count);
  for (std::uint32_t i = 0; i < count; ++i) out[i] = first + i;
  return out;
}

/// The result of applying affine_kernel `times` times to numbers(first, count).
inline std::vector<std::uint32_t> affine(std::uint32_t first, int times = 1,
                                         std::uint32_t count = kCount) {
  std::vector<std::uint32_t> out = numbers(first, count);
  for (std::uint32_t& number : out) {
    for (int i = 0; i < times; ++i) number = 2 * number + 1;
  }
  return out;
}

/// Devices with the thread-safety checks of the validation layer.
class EightThreadsTest : public DeviceTest {
 protected:
  void SetUp() override { setenv(kSetting, "true", 1); }
  void TearDown() override {
    unsetenv(kSetting);
    DeviceTest::TearDown();
  }

 private:
  static constexpr const char* kSetting = "VK_KHRONOS_VALIDATION_THREAD_SAFETY";
};

}  // namespace vkmoye::test
