// SPDX-License-Identifier: MIT
// An engine with its own Vulkan Memory Allocator, linked together with vkmoye: each must use its own copy, in whatever
// order they are linked. Exit status 0: both allocated, wrote and read.

#include <cstdint>
#include <cstdio>
#include <exception>
#include <numeric>
#include <span>
#include <vector>

#include "allocator.hpp"
#include "vkmoye/runtime/device.hpp"
#include "vkmoye/runtime/vulkan.hpp"

namespace {

VmaAllocator create_allocator(const vkmoye::DeviceHandles& handles) {
  VmaVulkanFunctions functions = {};
  const auto get_device_proc_addr = reinterpret_cast<PFN_vkGetDeviceProcAddr>(
      handles.get_instance_proc_addr(handles.instance, "vkGetDeviceProcAddr"));
#define FROM_INSTANCE(name) \
  functions.name =          \
      reinterpret_cast<PFN_##name>(handles.get_instance_proc_addr(handles.instance, #name))
#define FROM_DEVICE(name) \
  functions.name = reinterpret_cast<PFN_##name>(get_device_proc_addr(handles.device, #name))
  FROM_INSTANCE(vkGetPhysicalDeviceProperties);
  FROM_INSTANCE(vkGetPhysicalDeviceMemoryProperties);
  FROM_DEVICE(vkAllocateMemory);
  FROM_DEVICE(vkFreeMemory);
  FROM_DEVICE(vkMapMemory);
  FROM_DEVICE(vkUnmapMemory);
  FROM_DEVICE(vkFlushMappedMemoryRanges);
  FROM_DEVICE(vkInvalidateMappedMemoryRanges);
  FROM_DEVICE(vkBindBufferMemory);
  FROM_DEVICE(vkBindImageMemory);
  FROM_DEVICE(vkGetBufferMemoryRequirements);
  FROM_DEVICE(vkGetImageMemoryRequirements);
  FROM_DEVICE(vkCreateBuffer);
  FROM_DEVICE(vkDestroyBuffer);
  FROM_DEVICE(vkCreateImage);
  FROM_DEVICE(vkDestroyImage);
  FROM_DEVICE(vkCmdCopyBuffer);
#undef FROM_INSTANCE
#undef FROM_DEVICE
  VmaAllocatorCreateInfo info = {};
  info.instance = handles.instance;
  info.physicalDevice = handles.physical_device;
  info.device = handles.device;
  info.pVulkanFunctions = &functions;
  info.vulkanApiVersion = VK_API_VERSION_1_0;
  VmaAllocator allocator = nullptr;
  return vmaCreateAllocator(&info, &allocator) == VK_SUCCESS ? allocator : nullptr;
}

bool engine_allocates(VmaAllocator allocator) {
  VkBufferCreateInfo buffer_info = {};
  buffer_info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  buffer_info.size = 4096;
  buffer_info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
  VmaAllocationCreateInfo how = {};
  how.requiredFlags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
  how.flags = VMA_ALLOCATION_CREATE_MAPPED_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  VmaAllocation allocation = nullptr;
  VmaAllocationInfo got = {};
  if (vmaCreateBuffer(allocator, &buffer_info, &how, &buffer, &allocation, &got) != VK_SUCCESS) {
    return false;
  }
  *static_cast<std::uint32_t*>(got.pMappedData) = 7;
  const bool flushed = vmaFlushAllocation(allocator, allocation, 0, 4) == VK_SUCCESS;
  vmaDestroyBuffer(allocator, buffer, allocation);
  return flushed;
}

bool vkmoye_allocates(vkmoye::Device& device) {
  std::vector<std::uint32_t> in(1024), out(1024);
  std::iota(in.begin(), in.end(), 1u);
  vkmoye::Buffer buffer = device.buffer(in.size() * sizeof(std::uint32_t));
  buffer.write(std::as_bytes(std::span(in)));
  buffer.read(std::as_writable_bytes(std::span(out)));
  return in == out;
}

int run() {
  vkmoye::Device device = vkmoye::Device::open();
  VmaAllocator allocator = create_allocator(vkmoye::handles_of(device));
  if (allocator == nullptr) return 1;
  bool right = true;
  for (int round = 0; round < 2; ++round) {
    right = right && vkmoye_allocates(device) && engine_allocates(allocator);
  }
  vmaDestroyAllocator(allocator);
  return right ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
