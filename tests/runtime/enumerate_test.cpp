// SPDX-License-Identifier: MIT
// Two-call functions that have more than they say: asked again with more room, but not for ever.

#include <gtest/gtest.h>

#include <cstdint>

#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/vk/check.hpp"

namespace vkmoye::vk {
namespace {

// Says that it has `said` items, and has `real`.
auto function(std::uint32_t said, std::uint32_t real, int& calls) {
  return [said, real, &calls](std::uint32_t* count, int* items) {
    ++calls;
    if (items == nullptr) {
      *count = said;
      return VK_SUCCESS;
    }
    if (*count < real) return VK_INCOMPLETE;
    *count = real;
    return VK_SUCCESS;
  };
}

TEST(Enumerate, AsksTwiceForWhatIsAsLargeAsItSays) {
  int calls = 0;
  EXPECT_EQ(enumerate<int>("vkGetThings", function(5, 5, calls)).size(), 5u);
  EXPECT_EQ(calls, 2);
}

TEST(Enumerate, HasMoreRoomEachTime) {
  int calls = 0;
  EXPECT_EQ(enumerate<int>("vkGetThings", function(5, 12, calls)).size(), 12u);
  EXPECT_EQ(calls, 6);
}

TEST(Enumerate, EndsIfThereIsAlwaysMore) {
  int calls = 0;
  EXPECT_THROW(enumerate<int>("vkGetThings", function(5, 1000, calls)), DeviceError);
  EXPECT_EQ(calls, 8);
}

}  // namespace
}  // namespace vkmoye::vk
