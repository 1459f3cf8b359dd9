#include "workloads/device_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vkmoye/runtime/guarded_buffer.hpp"

namespace vkmoye::bench {

std::vector<std::string> reasons_against(const DeviceCaps& caps, const KernelInterface& kernel,
                                         const Arguments& arguments) {
  std::vector<std::string> reasons = vkmoye::reasons_against(kernel, caps);
  std::uint64_t total = 0;
  for (const Binding& binding : kernel.bindings) {
    std::vector<std::string> against = vkmoye::reasons_against(binding, arguments, caps);
    if (against.empty()) {
      const std::uint64_t guarded = GuardedBuffer::allocated_bytes(
          caps, element_count(binding, arguments) * size_of(binding.type));
      total += guarded;
      for (const std::string& reason : reasons_against_buffer(caps, guarded)) {
        against.push_back(binding.name + " between its guard zones: " + reason);
      }
    }
    for (std::string& reason : against) {
      // An array of a size known beforehand is already among the reasons against the kernel.
      const bool is_new = std::find(reasons.begin(), reasons.end(), reason) == reasons.end();
      if (is_new) reasons.push_back(std::move(reason));
    }
  }
  if (total > caps.device_memory_bytes) {
    reasons.push_back(
        fmt::format("needs {} bytes in all, the device has {}", total, caps.device_memory_bytes));
  }
  return reasons;
}

}  // namespace vkmoye::bench
