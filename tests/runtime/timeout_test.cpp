// SPDX-License-Identifier: MIT
// Work that does not finish within OpenOptions::wait_seconds: the error, what still works, and what is freed.

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "runtime/shaders.hpp"
#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "support/fault_table.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/vulkan.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace vkmoye::test {
namespace {

constexpr const char* kRefused =
    "the device is no longer used: an earlier submission did not finish";

// `call` throws DeviceError (kLost) with `text`.
template <class Call>
void expect_lost(Call call, const std::string& text) {
  try {
    call();
    ADD_FAILURE() << "threw nothing, expected " << text;
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.kind, DeviceError::Kind::kLost);
    EXPECT_THAT(error.what(), HasSubstr(text));
  }
}

Device open_with_faults(double wait_seconds, const std::function<void(DeviceCaps&)>& pretend = {}) {
  OpenOptions options;
  options.cache = false;
  options.wait_seconds = wait_seconds;
  options.pretend = pretend;
  return open_through(FaultTable::get_instance_proc_addr(), "0", options);
}

// While `is_stuck` is true, waits time out and no work is reported as finished.
void set_stuck(FaultTable& faults, bool is_stuck) {
  faults.fail_all("vkWaitForFences", is_stuck ? VK_TIMEOUT : VK_SUCCESS);
  faults.fail_all("vkGetFenceStatus", is_stuck ? VK_NOT_READY : VK_SUCCESS);
}

TEST(Timeout, IsReportedAndTheDeviceThenLeftAlone) {
#if defined(__SANITIZE_ADDRESS__)
  const __lsan::ScopedDisabler leaks_by_intent;
#endif
  const CompiledKernel kernel = affine_kernel();
  for (const auto& [seconds, text] : {std::pair{60.0, "60 s"}, {1e-9, "1e-09 s"}}) {
    FaultTable faults;
    {
      Device device = open_with_faults(seconds);
      Buffer a = device.buffer(256), b = device.buffer(256);
      const Launch launch = device.prepare(device.load(kernel), {a, b}, {{"n", 64}});
      set_stuck(faults, true);
      expect_lost([&] { device.run(launch); },
                  std::string("vkWaitForFences(...) -> VK_TIMEOUT: the device did not finish "
                              "within ") +
                      text);
      const int calls = faults.calls();
      expect_lost([&] { device.run(launch); }, kRefused);
      expect_lost([&] { device.submit(launch); }, kRefused);
      expect_lost([&] { measure(device, launch); }, kRefused);
      expect_lost([&] { b.fill(std::byte{0}); }, kRefused);
      EXPECT_EQ(faults.calls(), calls);
      EXPECT_NE(device.caps().name, "");
    }
    // Objects that the device may still use are not destroyed.
    EXPECT_EQ(faults.calls("vkDestroyDevice"), 0);
    EXPECT_EQ(faults.calls("vkDestroyPipeline"), 0);
    EXPECT_EQ(faults.calls("vkFreeMemory"), 0);
  }
}

// A buffer with several allocations is bound on the queue, which may not finish either.
TEST(Timeout, LeavesABufferInPiecesToTheDevice) {
#if defined(__SANITIZE_ADDRESS__)
  const __lsan::ScopedDisabler leaks_by_intent;
#endif
  FaultTable faults;
  {
    Device device =
        open_with_faults(1, [](DeviceCaps& caps) { caps.max_allocation_bytes = 1 << 20; });
    if (device.caps().max_sparse_buffer_bytes < 3 << 20) {
      GTEST_SKIP() << "it binds no buffer to several allocations";
    }
    set_stuck(faults, true);
    expect_lost([&] { device.buffer(3 << 20); }, "VK_TIMEOUT");
  }
  for (const char* call : {"vkDestroyDevice", "vkDestroyBuffer", "vkFreeMemory", "vkDestroyFence",
                           "vkDestroyCommandPool"}) {
    EXPECT_EQ(faults.calls(call), 0) << call;
  }
}

// Work that takes longer than the wait, and then ends: later queries report it.
TEST(Timeout, WhatFinishesAfterAllIsFreed) {
  const CompiledKernel kernel = affine_kernel();
  for (const bool asks : {true, false}) {
    SCOPED_TRACE(asks ? "through its Pending" : "when the Device is destroyed");
    FaultTable faults;
    {
      Device device = open_with_faults(1);
      Buffer a = device.buffer(256), b = device.buffer(256);
      a.fill(std::byte{1});
      const Launch launch = device.prepare(device.load(kernel), {a, b}, {{"n", 64}});
      if (asks) {
        Pending pending = device.submit(launch);
        set_stuck(faults, true);
        expect_lost([&] { pending.wait(); }, "VK_TIMEOUT");
        EXPECT_FALSE(pending.is_done());
        expect_lost([&] { pending.wait(); }, "VK_TIMEOUT");  // waits again
        set_stuck(faults, false);
        pending.wait();
        EXPECT_TRUE(pending.is_done());
      } else {
        set_stuck(faults, true);
        expect_lost([&] { device.run(launch); }, "VK_TIMEOUT");
        set_stuck(faults, false);
      }
      expect_lost([&] { device.run(launch); }, kRefused);
      EXPECT_EQ(faults.calls("vkDestroyDevice"), 0);
    }
    EXPECT_EQ(faults.leaks(), "");
    EXPECT_EQ(faults.calls("vkDestroyDevice"), 1);
  }
}

TEST(Timeout, TakesAnyNumberOfSeconds) {
  const double infinity = std::numeric_limits<double>::infinity();
  FaultTable faults;
  for (const auto& [seconds, nanoseconds] : {std::pair{0.25, std::uint64_t{250'000'000}},
                                             {60.0, 60'000'000'000},
                                             {1e12, UINT64_MAX},
                                             {infinity, UINT64_MAX}}) {
    Device device = open_with_faults(seconds);
    device.buffer(256).fill(std::byte{1});
    EXPECT_EQ(faults.wait_limit(), nanoseconds) << seconds;
  }
  for (const double seconds : {-1.0, -infinity, std::nan("")}) {
    EXPECT_REFUSED(open_with_faults(seconds), ArgumentError,
                   "must be a number of seconds, at least 0");
  }
  EXPECT_EQ(faults.leaks(), "");
}

class SpinTest : public DeviceTest {
 protected:
  static double now() {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(since).count();
  }
};

// A shader that runs for some seconds. The wait ends at its limit; another Device works in the meantime.
TEST_F(SpinTest, AWaitEndsAtItsLimitAndAnotherDeviceWorks) {
  constexpr double kSpins = 2, kLimit = 1, kLate = 0.2;
  const CompiledKernel spin = spin_kernel();
  for_each_device([&](Device& device) {
    const Pipeline pipeline = device.load(spin);
    Buffer values = device.buffer(8);
    values.fill(std::byte{1});
    const auto seconds_of = [&](std::uint32_t rounds) {
      const double start = now();
      device.run(pipeline, {values}, {{"rounds", rounds}});
      return now() - start;
    };
    seconds_of(1);  // compiles
    constexpr std::uint32_t kRounds = 1 << 22;
    double seconds = seconds_of(kRounds);
    for (int i = 0; i < 2; ++i) seconds = std::min(seconds, seconds_of(kRounds));
    const auto rounds = static_cast<std::uint32_t>(
        std::min(kSpins / seconds * kRounds, static_cast<double>(UINT32_MAX)));

    OpenOptions options;
    options.wait_seconds = kLimit;
    Device stuck = Device::open(device.caps().name, validated(options));
    Buffer spun = stuck.buffer(8);
    spun.fill(std::byte{1});
    const Pipeline spinning = stuck.load(spin);
    const Launch launch = stuck.prepare(spinning, {spun}, {{"rounds", rounds}});
    const Launch shorter = stuck.prepare(spinning, {spun}, {{"rounds", 1}});
    Pending pending = stuck.submit(launch);
    const double start = now();
    expect_lost([&] { pending.wait(); }, "the device did not finish within 1 s");
    EXPECT_GE(now() - start, kLimit);
    EXPECT_LT(now() - start, kLimit + kLate);

    const double refused = now();
    expect_lost([&] { stuck.run(shorter); }, kRefused);
    EXPECT_LT(now() - refused, kLate);

    Device other = Device::open(device.caps().name, validated());
    Buffer a = other.buffer(256), b = other.buffer(256);
    a.fill(std::byte{1});
    other.run(other.load(affine_kernel()), {a, b}, {{"n", 64}});
    std::vector<std::uint32_t> found(64);
    b.read(std::as_writable_bytes(std::span(found)));
    EXPECT_EQ(found, std::vector<std::uint32_t>(64, 0x02020203));
    if (device.caps().kind == DeviceKind::cpu) {
      EXPECT_FALSE(pending.is_done());
    }

    // It ends, and then everything can be destroyed: the layer would report objects that are left.
    while (!pending.is_done() && now() - start < 100) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_TRUE(pending.is_done());
    expect_lost([&] { stuck.run(shorter); }, kRefused);
  });
}

}  // namespace
}  // namespace vkmoye::test
