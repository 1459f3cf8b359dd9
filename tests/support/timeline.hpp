// SPDX-License-Identifier: MIT
#pragma once
// A timeline semaphore of the user: work that waits for it runs when the test signals it.

#include "support/their_device.hpp"

namespace vkmoye::test {

class Timeline {
 public:
  /// Created with value 0 on the VkDevice of `owner`, which must outlive it.
  explicit Timeline(const Device& owner) : owner_(owner) {
    VkSemaphoreTypeCreateInfo type = {};
    type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    VkSemaphoreCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
    info.pNext = &type;
    function_of<PFN_vkCreateSemaphore>(owner, "vkCreateSemaphore")(device(), &info, nullptr,
                                                                   &semaphore_);
  }
  ~Timeline() {
    function_of<PFN_vkDestroySemaphore>(owner_, "vkDestroySemaphore")(device(), semaphore_,
                                                                      nullptr);
  }
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  TimelinePoint at(std::uint64_t value) const { return {semaphore_, value}; }
  void signal(std::uint64_t value) const {
    VkSemaphoreSignalInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
    info.semaphore = semaphore_;
    info.value = value;
    function_of<PFN_vkSignalSemaphore>(owner_, "vkSignalSemaphore")(device(), &info);
  }

 private:
  VkDevice device() const { return handles_of(owner_).device; }
  const Device& owner_;
  VkSemaphore semaphore_ = VK_NULL_HANDLE;
};

}  // namespace vkmoye::test
