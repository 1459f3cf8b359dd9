// SPDX-License-Identifier: MIT
// Each Vulkan call fails in turn: the error names it, no objects are left over, nothing crashes.

#include "runtime/shaders.hpp"
#include "support/expect.hpp"
#include "support/fault_table.hpp"
#include "support/process.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/vulkan.hpp"

namespace vkmoye::test {
namespace {

// A short life that uses all functions.
void use_everything(const CompiledKernel& kernel, const std::string& cache_folder) {
  OpenOptions options;
  options.cache_folder = cache_folder;
  options.direct_access = false;
  Device device = open_through(FaultTable::get_instance_proc_addr(), "0", options);
  Buffer a = device.buffer(256), b = device.buffer(256);
  std::vector<std::byte> bytes(256);
  a.write(bytes);
  b.fill(std::byte{1});
  const Launch launch = device.prepare(device.load(kernel), {a, b}, {{"n", 64}});
  device.run(launch);
  device.submit(launch);
  measure(device, launch,
          {.warm_up_seconds = 0, .min_seconds = 0, .min_samples = 1, .max_samples = 1});
  b.read(bytes);
  device.save_cache();
}

class FaultTest : public testing::TestWithParam<VkResult> {};

TEST_P(FaultTest, AtEachCallIsReportedAndLeavesNothing) {
  const VkResult result = GetParam();
  const CompiledKernel kernel = affine_kernel();
  const TemporaryFolder folder;
  FaultTable faults;
  int number = 1, thrown = 0;
  for (;; ++number) {
    faults.fail_at(number, result);
    std::string message;
    try {
      use_everything(kernel, folder.path());
    } catch (const DeviceError& error) {
      ++thrown;
      message = error.what();
      if (result == VK_ERROR_DEVICE_LOST) {
        EXPECT_EQ(error.kind, DeviceError::Kind::kLost) << message;
      } else if (result != VK_ERROR_INITIALIZATION_FAILED) {
        EXPECT_EQ(error.kind, DeviceError::Kind::kOutOfMemory) << message;
      }
    }
    const std::string failed = faults.failed_call();
    if (failed.empty()) break;  // the life has fewer calls: each has failed once
    SCOPED_TRACE("call " + std::to_string(number) + ", " + failed);
    ASSERT_EQ(faults.leaks(), "");
    // Not errors: losing the cache; an allocation that succeeds with another memory type; a status query for work
    // that nobody waits for, which is repeated; a destructor's wait for a semaphore after the work is done.
    const bool cache = failed.find("PipelineCache") != std::string::npos;
    const bool memory = failed == "vkAllocateMemory" || failed == "vkMapMemory";
    if (message.empty()) {
      EXPECT_TRUE(cache || memory || failed == "vkGetFenceStatus" || failed == "vkWaitSemaphores")
          << "went unnoticed";
    } else if (!cache) {
      const bool by_vma = memory || failed == "vkCreateBuffer" || failed == "vkBindBufferMemory" ||
                          failed == "vkBindBufferMemory2";
      EXPECT_THAT(message, HasSubstr(by_vma ? "vmaCreateBuffer" : failed));
    }
  }
  EXPECT_GT(thrown, 40);
  RecordProperty("calls", number - 1);
}

INSTANTIATE_TEST_SUITE_P(Results, FaultTest,
                         testing::Values(VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                                         VK_ERROR_DEVICE_LOST, VK_ERROR_INITIALIZATION_FAILED));

TEST(TooLargeABuffer, IsRefusedBeforeVulkanIsCalled) {
  FaultTable faults;
  OpenOptions options;
  options.cache = false;
  options.pretend = [](DeviceCaps& caps) {
    caps.max_allocation_bytes = 4097;
    caps.max_sparse_buffer_bytes = 0;
  };
  Device device = open_through(FaultTable::get_instance_proc_addr(), "0", options);
  EXPECT_REFUSED(device.buffer(4098), ArgumentError,
                 "a buffer of 4098 bytes: the device allows 4097 in one allocation of "
                 "memory (maxMemoryAllocationSize)");
  EXPECT_EQ(faults.calls("vkCreateBuffer"), 0);
  EXPECT_EQ(faults.calls("vkAllocateMemory"), 0);
  // The largest allowed size is not a multiple of 4, so it cannot be rounded up.
  EXPECT_EQ(device.buffer(4097).bytes(), 4097u);
}

}  // namespace
}  // namespace vkmoye::test
