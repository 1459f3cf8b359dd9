#include "workloads/device_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/compile.hpp"

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

std::vector<std::byte> read_all(const Execution& execution, std::size_t array,
                                std::uint64_t bytes) {
  std::vector<std::byte> out(bytes);
  execution.read(array, out);
  return out;
}

namespace {

std::vector<std::string> names_of(const std::vector<Array>& arrays) {
  std::vector<std::string> names;
  for (const Array& array : arrays) names.push_back(array.name);
  return names;
}

std::vector<GuardedBuffer> make_buffers(Device& device, const std::vector<Array>& arrays) {
  std::vector<GuardedBuffer> buffers;
  for (const Array& array : arrays) buffers.emplace_back(device, array.bytes);
  return buffers;
}

std::vector<BufferView> views_of(const std::vector<GuardedBuffer>& buffers,
                                 const std::vector<Array>& arrays) {
  std::vector<BufferView> views;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    views.push_back(buffers[i].view(arrays[i].offset));
  }
  return views;
}

}  // namespace

DeviceExecution::DeviceExecution(Device& device, const Pipeline& kernel,
                                 const std::vector<Array>& arrays, const Arguments& arguments)
    : device_(device),
      names_(names_of(arrays)),
      buffers_(make_buffers(device, arrays)),
      launch_(device.prepare(kernel, views_of(buffers_, arrays), arguments)) {}

void DeviceExecution::write(std::size_t array, std::span<const std::byte> from,
                            std::uint64_t offset) {
  buffers_[array].write(from, offset);
}

void DeviceExecution::read(std::size_t array, std::span<std::byte> to, std::uint64_t offset) const {
  buffers_[array].read(to, offset);
}

void DeviceExecution::run() { device_.run(launch_); }

std::string DeviceExecution::damage() const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const std::string damage = buffers_[i].damage();
    if (!damage.empty()) all.push_back(names_[i] + ": " + damage);
  }
  return join(all, "; ");
}

Timing DeviceExecution::measure(const TimeOptions& times) {
  return vkmoye::measure(device_, launch_, times);
}

std::vector<std::string> DeviceExecutor::reasons_against(const KernelInterface& kernel,
                                                         const Arguments& arguments) const {
  return bench::reasons_against(caps(), kernel, arguments);
}

std::unique_ptr<Execution> DeviceExecutor::prepare(const gen::ir::Kernel& kernel,
                                                   const std::vector<Array>& arrays,
                                                   const Arguments& arguments) {
  return std::make_unique<DeviceExecution>(device_, device_.load(gen::compile(kernel)), arrays,
                                           arguments);
}

std::string DeviceExecutor::keep() {
  device_.save_cache();
  const std::string status = device_.cache_status();
  const bool good = status.find("; not saved: ") == std::string::npos &&
                    !status.starts_with("rebuilt: ") && !status.starts_with("not read: ");
  return good ? "" : "pipeline cache: " + status;
}

}  // namespace vkmoye::bench
