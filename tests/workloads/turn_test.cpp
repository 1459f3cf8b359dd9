// SPDX-License-Identifier: MIT
// Turns of programs that time on the same device.

#include "devices/turn.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>

#include "support/temporary_folder.hpp"

namespace vkmoye::bench {
namespace {

class TimingTurnTest : public testing::Test {
 protected:
  TimingTurnTest() {
    if (const char* before = std::getenv(kName)) before_ = before;
    setenv(kName, folder_.path().c_str(), /*overwrite=*/1);
  }
  ~TimingTurnTest() override {
    before_ ? setenv(kName, before_->c_str(), /*overwrite=*/1) : unsetenv(kName);
  }
  static DeviceCaps device(const char* name, DeviceKind kind = DeviceKind::discrete) {
    DeviceCaps caps;
    caps.name = name;
    caps.kind = kind;
    return caps;
  }

 private:
  static constexpr const char* kName = "VKMOYE_CACHE_DIR";
  test::TemporaryFolder folder_;
  std::optional<std::string> before_;
};

TEST_F(TimingTurnTest, AnotherWaitsForItsEnd) {
  std::optional<TimingTurn> first(std::in_place, device("GPU 1"));
  EXPECT_EQ(first->seconds_waited(), 0);
  std::atomic<bool> has_started = false, has_ended = false;
  std::thread other([&] {
    has_started = true;
    const TimingTurn second(device("GPU 1"));
    EXPECT_TRUE(has_ended);
  });
  while (!has_started) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  has_ended = true;
  first.reset();
  other.join();
}

TEST_F(TimingTurnTest, OtherDevicesAndCpusDoNotWait) {
  const TimingTurn first(device("GPU 1")), second(device("GPU 2"));
  EXPECT_EQ(second.seconds_waited(), 0);
  const DeviceCaps cpu = device("CPU", DeviceKind::cpu);
  const TimingTurn third(cpu), fourth(cpu);
  EXPECT_EQ(fourth.seconds_waited(), 0);
}

// Where no folder can be made.
TEST_F(TimingTurnTest, WithoutAFolderThereAreNoTurns) {
  setenv("VKMOYE_CACHE_DIR", "/dev/null/none", /*overwrite=*/1);
  const TimingTurn first(device("GPU 1")), second(device("GPU 1"));
  EXPECT_EQ(second.seconds_waited(), 0);
}

}  // namespace
}  // namespace vkmoye::bench
