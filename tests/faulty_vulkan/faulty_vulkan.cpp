// SPDX-License-Identifier: MIT
// libvulkan.so.1 with faults (support/fault_table.hpp), for unmodified programs: LD_LIBRARY_PATH names its folder.
//
//   VKMOYE_FAULT=vkWaitForFences=-4+2     each vkWaitForFences but the first 2 fails with VK_ERROR_DEVICE_LOST
//
// It hands the calls to the loader VKMOYE_REAL_VULKAN. When the program exits it writes to standard error which
// objects were not destroyed: "faulty_vulkan: left: vkCreateFence 1, ", or "faulty_vulkan: left: nothing".

#include <cstdio>
#include <cstdlib>

#include "support/fault_table.hpp"

namespace vkmoye::test {
namespace {

class Faults {
 public:
  Faults() {
    char call[64] = "";
    int result = 0, after = 0;
    const char* fault = std::getenv("VKMOYE_FAULT");
    if (fault != nullptr && std::sscanf(fault, "%63[A-Za-z]=%d+%d", call, &result, &after) == 3) {
      table_.fail_all(call, static_cast<VkResult>(result), after);
    }
  }
  ~Faults() {
    const std::string left = table_.leaks();
    std::fprintf(stderr, "faulty_vulkan: left: %s\n", left.empty() ? "nothing" : left.c_str());
  }

 private:
  FaultTable table_{std::getenv("VKMOYE_REAL_VULKAN")};
};

}  // namespace
}  // namespace vkmoye::test

extern "C" __attribute__((visibility("default"))) PFN_vkVoidFunction vkGetInstanceProcAddr(
    VkInstance instance, const char* name) {
  static const vkmoye::test::Faults faults;
  return vkmoye::test::FaultTable::get_instance_proc_addr()(instance, name);
}
