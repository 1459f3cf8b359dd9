#include "workloads/device_fit.hpp"

#include <fmt/format.h>

#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/guarded_buffer.hpp"

namespace vkmoye::bench {

std::vector<std::string> reasons_against(const DeviceCaps& caps, const KernelInterface& kernel,
                                         const Arguments& arguments) {
  std::vector<std::string> reasons = vkmoye::reasons_against(kernel, caps);
  std::uint64_t total = 0;
  for (const Binding& binding : kernel.bindings) {
    std::uint64_t bytes = 0;
    try {
      bytes = element_count(binding, arguments) * size_of(binding.type);
    } catch (const ArgumentError& error) {
      reasons.push_back(error.what());
      continue;
    }
    const std::uint64_t guarded = GuardedBuffer::allocated_bytes(caps, bytes);
    total += guarded;
    if (bytes > caps.max_storage_buffer_bytes) {
      reasons.push_back(
          fmt::format("{} needs {} bytes, a storage buffer of the device has at most {}",
                      binding.name, bytes, caps.max_storage_buffer_bytes));
    }
    if (guarded > caps.max_buffer_bytes) {
      reasons.push_back(
          fmt::format("{} and its guard zones need {} bytes, a buffer of the device has at most {}",
                      binding.name, guarded, caps.max_buffer_bytes));
    }
  }
  if (total > caps.device_memory_bytes) {
    reasons.push_back(
        fmt::format("needs {} bytes in all, the device has {}", total, caps.device_memory_bytes));
  }
  return reasons;
}

}  // namespace vkmoye::bench
