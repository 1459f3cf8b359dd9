// SPDX-License-Identifier: MIT
// Kept facts about devices: valid for one version, device and driver, and ignored if damaged.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "devices/facts.hpp"
#include "support/temporary_folder.hpp"

namespace vkmoye::bench {
namespace {

class DeviceFactsTest : public testing::Test {
 protected:
  void SetUp() override {
    caps_.name = "one";
    caps_.driver = "driver 1.0";
  }
  std::string text() const {
    std::ifstream in(file_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  const test::TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_.file("facts");
  DeviceCaps caps_;
};

TEST_F(DeviceFactsTest, AreKeptByVersionDeviceAndDriver) {
  const DeviceFacts facts(file_);
  EXPECT_FALSE(facts.find(caps_, "why"));
  facts.store(caps_, "why", "because");
  facts.store(caps_, "how", "tab\tand\nline");
  EXPECT_EQ(facts.find(caps_, "why"), "because");
  EXPECT_EQ(facts.find(caps_, "how"), "tab and line");
  EXPECT_FALSE(DeviceFacts(file_, "0.0.0").find(caps_, "why"));
  caps_.driver = "driver 1.1";
  EXPECT_FALSE(facts.find(caps_, "why"));
  caps_.driver = "driver 1.0";
  caps_.name = "other";
  EXPECT_FALSE(facts.find(caps_, "why"));
  EXPECT_FALSE(DeviceFacts("").find(caps_, "why"));
}

TEST_F(DeviceFactsTest, TheLastAnswerStandsAlone) {
  const DeviceFacts facts(file_);
  facts.store(caps_, "why", "because");
  facts.store(caps_, "why", "therefore");
  EXPECT_EQ(facts.find(caps_, "why"), "therefore");
  EXPECT_EQ(text().find("because"), std::string::npos);
}

TEST_F(DeviceFactsTest, TheFileIsReadOnceForAllCopies) {
  DeviceFacts(file_).store(caps_, "why", "because");
  const DeviceFacts facts(file_), copy = facts;
  EXPECT_EQ(copy.find(caps_, "why"), "because");
  std::filesystem::remove(file_);
  EXPECT_EQ(facts.find(caps_, "why"), "because");
  facts.store(caps_, "how", "so");
  EXPECT_EQ(copy.find(caps_, "how"), "so");
}

TEST_F(DeviceFactsTest, WhatSeveralKeepAtOnceIsThere) {
  constexpr int kWriters = 8, kQuestions = 10;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      const DeviceFacts facts(file_);
      for (int i = 0; i < kQuestions; ++i) {
        facts.store(caps_, std::to_string(writer) + " " + std::to_string(i), "known");
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  const std::string all = text();
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), kWriters * kQuestions);
}

// If any byte changes, the fact is ignored, and the next write removes the line.
TEST_F(DeviceFactsTest, DamageIsNoAnswer) {
  const DeviceFacts facts(file_);
  facts.store(caps_, "why", "because");
  const std::string good = text();
  for (std::size_t at = 0; at + 1 < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    std::ofstream(file_) << bad;
    EXPECT_FALSE(DeviceFacts(file_).find(caps_, "why")) << at;
  }
  for (std::size_t length = 0; length + 1 < good.size(); ++length) {
    std::ofstream(file_) << good.substr(0, length);
    EXPECT_FALSE(DeviceFacts(file_).find(caps_, "why")) << length;
  }
  facts.store(caps_, "why", "because");
  EXPECT_EQ(text(), good);
}

}  // namespace
}  // namespace vkmoye::bench
