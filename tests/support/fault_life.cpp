// SPDX-License-Identifier: MIT
#include "support/fault_life.hpp"

#include <gmock/gmock.h>

namespace vkmoye::test {
namespace {

DeviceError::Kind kind_of(VkResult result) {
  switch (result) {
    case VK_ERROR_DEVICE_LOST: return DeviceError::Kind::kLost;
    case VK_ERROR_INITIALIZATION_FAILED: return DeviceError::Kind::kOther;
    default: return DeviceError::Kind::kOutOfMemory;
  }
}

bool is_one_of(const std::string& call, const std::vector<std::string>& calls) {
  return std::find(calls.begin(), calls.end(), call) != calls.end();
}

// Losing the cache is no error, an allocation is tried elsewhere before it is one, work that no one waits for is asked
// about again, and a destructor waits for a semaphore once the work is done.
bool may_go_unnoticed(const std::string& call) {
  return call.find("PipelineCache") != std::string::npos ||
         is_one_of(call,
                   {"vkAllocateMemory", "vkMapMemory", "vkGetFenceStatus", "vkWaitSemaphores"});
}

// The Vulkan Memory Allocator makes these calls, too: then its function is named.
bool is_made_by_vma(const std::string& call) {
  return is_one_of(call, {"vkAllocateMemory", "vkMapMemory", "vkCreateBuffer", "vkBindBufferMemory",
                          "vkBindBufferMemory2"});
}

}  // namespace

int each_call_fails(FaultTable& faults, VkResult result,
                    const std::function<void(Retry& retry)>& life) {
  const std::string alive = faults.leaks();
  int thrown = 0;
  for (int number = 1;; ++number) {
    Retry retry(faults);
    faults.fail_at(number, result);
    std::string second;
    try {
      life(retry);
    } catch (const std::exception& error) {
      second = error.what();
    }
    const std::string failed = faults.failed_call();
    faults.fail_at(0, VK_SUCCESS);
    SCOPED_TRACE("call " + std::to_string(number) + ", " + failed);
    EXPECT_EQ(second, "") << "what failed did not work when tried again";
    EXPECT_EQ(faults.leaks(), alive);
    if (failed.empty()) return thrown;  // the whole life was shorter: every call has had its turn
    if (retry.errors().empty()) {
      EXPECT_TRUE(may_go_unnoticed(failed) || retry.fails_in_destructors()) << "went unnoticed";
    } else {
      ++thrown;
      const DeviceError& error = retry.errors().front();
      // Of whatever vkAllocateMemory says VMA makes that there is no memory, where it tried several types.
      const bool is_allocation =
          failed == "vkAllocateMemory" && error.kind == DeviceError::Kind::kOutOfMemory;
      EXPECT_TRUE(error.kind == kind_of(result) || is_allocation) << error.what();
      EXPECT_THAT(error.what(),
                  testing::ContainsRegex(is_made_by_vma(failed) ? "vma|" + failed : failed));
    }
    if (testing::Test::HasFailure()) return thrown;  // the next ones are likely to say the same
  }
}

}  // namespace vkmoye::test
