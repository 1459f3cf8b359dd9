// SPDX-License-Identifier: MIT
#include "support/each_call_fails.hpp"

#include "support/expect.hpp"

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

// Not errors: losing the cache; an allocation that succeeds with another memory type; a status query for work that
// nobody waits for, which is repeated; a destructor's wait for a semaphore after the work is done.
bool may_go_unnoticed(const std::string& call) {
  return call.find("PipelineCache") != std::string::npos ||
         is_one_of(call,
                   {"vkAllocateMemory", "vkMapMemory", "vkGetFenceStatus", "vkWaitSemaphores"});
}

// If the Vulkan Memory Allocator makes such a call, the error names its function.
bool is_made_by_vma(const std::string& call) {
  return is_one_of(call, {"vkAllocateMemory", "vkMapMemory", "vkCreateBuffer", "vkBindBufferMemory",
                          "vkBindBufferMemory2"});
}

}  // namespace

int each_call_fails(FaultTable& faults, VkResult result,
                    const std::function<void(Retry& retry)>& life, AfterFault after) {
  const std::string alive = faults.leaks();
  int thrown = 0;
  for (int number = 1;; ++number) {
    Retry retry(faults, after);
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
    if (after == AfterFault::tries_again || retry.errors().empty()) {
      EXPECT_EQ(second, "") << "what failed did not work when tried again";
    }
    EXPECT_EQ(faults.leaks(), alive);
    if (failed.empty()) return thrown;  // the life has fewer calls: each has failed once
    if (retry.errors().empty()) {
      EXPECT_TRUE(may_go_unnoticed(failed) || retry.fails_in_destructors()) << "went unnoticed";
    } else {
      ++thrown;
      const DeviceError& error = retry.errors().front();
      // VMA reports any error of vkAllocateMemory as out of memory after trying several types.
      const bool is_allocation =
          failed == "vkAllocateMemory" && error.kind == DeviceError::Kind::kOutOfMemory;
      EXPECT_TRUE(error.kind == kind_of(result) || is_allocation) << error.what();
      EXPECT_THAT(error.what(),
                  testing::ContainsRegex(is_made_by_vma(failed) ? "vma|" + failed : failed));
    }
    if (testing::Test::HasFailure()) return thrown;  // later ones are probably the same
  }
}

}  // namespace vkmoye::test
