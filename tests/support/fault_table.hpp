// SPDX-License-Identifier: MIT
#pragma once
// Vulkan with faults: a vkGetInstanceProcAddr whose functions count their calls and make the N-th call that returns a
// VkResult fail.
//
//   FaultTable faults;
//   faults.fail_at(7, VK_ERROR_DEVICE_LOST);
//   open_through(faults.get_instance_proc_addr());
//
// A descriptor pool provides only as many sets as it was created for, since some drivers provide more.
//
// Use one FaultTable and one driver at a time, in a single thread.

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace vkmoye::test {

class FaultTable {
 public:
  /// Opens a Vulkan loader. Throws std::runtime_error if there is none.
  explicit FaultTable(const char* loader = "libvulkan.so.1");
  ~FaultTable();
  FaultTable(const FaultTable&) = delete;
  FaultTable& operator=(const FaultTable&) = delete;

  static PFN_vkGetInstanceProcAddr get_instance_proc_addr();

  /// Makes the `number`-th fallible call from now on, counted from 1, fail with `result`, and no other.
  void fail_at(int number, VkResult result);
  /// Makes every call of `name` except the first `after` fail with `result`; VK_SUCCESS ends this.
  void fail_all(const std::string& name, VkResult result, int after = 0);
  /// The call that failed because of fail_at; "" if it was not reached.
  const std::string& failed_call() const { return failed_call_; }

  /// While paused, no call fails or is counted by fail_at.
  void pause(bool paused) { paused_ = paused; }

  /// The number of calls of `name`, including faults; and of all functions.
  int calls(const std::string& name) const;
  int calls() const;
  /// Objects that were created and not destroyed, such as "vkCreateFence 1, "; "" if there are none.
  std::string leaks() const;
  /// The timeout of the last vkWaitForFences in nanoseconds.
  std::uint64_t wait_limit() const { return wait_limit_; }
  /// Called with the arguments of each vkCreatePipelineCache.
  std::function<void(const VkPipelineCacheCreateInfo&)> on_create_pipeline_cache;
  /// Called with the cache of each vkCreateComputePipelines.
  std::function<void(VkPipelineCache)> on_create_pipelines;

  // For the hooks.
  VkResult fault_for(const std::string& name);
  void called(const std::string& name);
  void changed(const std::string& kind, int by);
  void made_pool(VkDescriptorPool pool, std::uint32_t sets) { free_sets_[pool] = {sets, sets}; }
  void reset_pool(VkDescriptorPool pool) { free_sets_[pool].now = free_sets_[pool].at_first; }
  bool take_sets(VkDescriptorPool pool, std::uint32_t sets);
  void waits(std::uint64_t limit) { wait_limit_ = limit; }

 private:
  struct FreeSets {
    std::uint32_t at_first = 0, now = 0;
  };
  void* library_ = nullptr;
  bool paused_ = false;
  int until_failure_ = 0;
  VkResult result_ = VK_SUCCESS;
  std::string failed_call_;
  std::uint64_t wait_limit_ = 0;
  struct Always {
    VkResult result = VK_SUCCESS;
    int first_call = 0;  // as counted by calls()
  };
  std::map<std::string, Always> always_;
  std::map<VkDescriptorPool, FreeSets> free_sets_;
  std::map<std::string, int> calls_;
  std::map<std::string, int> alive_;
};

}  // namespace vkmoye::test
