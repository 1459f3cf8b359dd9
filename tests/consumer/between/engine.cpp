// SPDX-License-Identifier: MIT
#include "engine.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

namespace engine {

void check(VkResult result, const char* what) {
  if (result == VK_SUCCESS) return;
  std::fprintf(stderr, "%s: VkResult %d\n", what, result);
  std::exit(1);
}

VkInstance create_instance() {
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  VkInstance instance = VK_NULL_HANDLE;
  check(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance");
  return instance;
}

VkPhysicalDevice first_device(VkInstance instance) {
  std::uint32_t count = 1;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  const VkResult result = vkEnumeratePhysicalDevices(instance, &count, &physical);
  if (result != VK_INCOMPLETE) check(result, "vkEnumeratePhysicalDevices");
  return physical;
}

std::uint32_t compute_family(VkPhysicalDevice physical) {
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  std::uint32_t family = 0;
  while ((families.at(family).queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) ++family;
  return family;
}

bool has_extension(VkPhysicalDevice physical, const char* name) {
  std::uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> all(count);
  vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, all.data());
  return std::any_of(all.begin(), all.end(), [&](const VkExtensionProperties& one) {
    return std::string_view(one.extensionName) == name;
  });
}

VkDevice create_device(VkPhysicalDevice physical, std::uint32_t family,
                       const VkPhysicalDeviceFeatures2& features,
                       const std::vector<const char*>& extensions) {
  const float priority = 1;
  VkDeviceQueueCreateInfo queue = {};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  VkDevice device = VK_NULL_HANDLE;
  check(vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice");
  return device;
}

Arena::Arena(VkInstance instance, VkPhysicalDevice physical, VkDevice device, std::uint64_t bytes) {
  VmaAllocatorCreateInfo info = {};
  info.instance = instance;
  info.physicalDevice = physical;
  info.device = device;
  info.vulkanApiVersion = VK_API_VERSION_1_2;
  check(vmaCreateAllocator(&info, &allocator_), "vmaCreateAllocator");
  VkBufferCreateInfo buffer = {};
  buffer.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  buffer.size = bytes;
  buffer.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VmaAllocationCreateInfo how = {};
  how.usage = VMA_MEMORY_USAGE_AUTO;
  how.flags = VMA_ALLOCATION_CREATE_HOST_ACCESS_RANDOM_BIT | VMA_ALLOCATION_CREATE_MAPPED_BIT;
  check(vmaCreateBuffer(allocator_, &buffer, &how, &buffer_, &allocation_, &info_),
        "vmaCreateBuffer");
  VmaVirtualBlockCreateInfo block = {};
  block.size = bytes;
  check(vmaCreateVirtualBlock(&block, &block_), "vmaCreateVirtualBlock");
}

Arena::~Arena() {
  vmaClearVirtualBlock(block_);
  vmaDestroyVirtualBlock(block_);
  vmaDestroyBuffer(allocator_, buffer_, allocation_);
  vmaDestroyAllocator(allocator_);
}

std::uint64_t Arena::allocate(std::uint64_t bytes) {
  VmaVirtualAllocationCreateInfo info = {};
  info.size = bytes;
  info.alignment = 256;  // no device requires a larger alignment
  VmaVirtualAllocation allocation = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;
  check(vmaVirtualAllocate(block_, &info, &allocation, &offset), "vmaVirtualAllocate");
  return offset;
}

const float* Arena::host(std::uint64_t offset) {
  check(vmaInvalidateAllocation(allocator_, allocation_, 0, VK_WHOLE_SIZE),
        "vmaInvalidateAllocation");
  return reinterpret_cast<const float*>(static_cast<const char*>(info_.pMappedData) + offset);
}

Pass::Pass(VkDevice device, const std::string& spirv_file) : device_(device) {
  std::ifstream in(spirv_file, std::ios::binary);
  const std::string code{std::istreambuf_iterator<char>(in), {}};
  VkShaderModuleCreateInfo module_info = {};
  module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module_info.codeSize = code.size();
  module_info.pCode = reinterpret_cast<const std::uint32_t*>(code.data());
  VkShaderModule shader = VK_NULL_HANDLE;
  check(vkCreateShaderModule(device, &module_info, nullptr, &shader), spirv_file.c_str());
  std::array<VkDescriptorSetLayoutBinding, 2> bindings = {};
  for (std::uint32_t i = 0; i < 2; ++i) {
    bindings[i].binding = i;
    bindings[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    bindings[i].descriptorCount = 1;
    bindings[i].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  }
  VkDescriptorSetLayoutCreateInfo set = {};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = 2;
  set.pBindings = bindings.data();
  check(vkCreateDescriptorSetLayout(device, &set, nullptr, &set_layout_),
        "vkCreateDescriptorSetLayout");
  const VkPushConstantRange numbers = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 12};
  VkPipelineLayoutCreateInfo layout = {};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &set_layout_;
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &numbers;
  check(vkCreatePipelineLayout(device, &layout, nullptr, &layout_), "vkCreatePipelineLayout");
  VkComputePipelineCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = shader;
  info.stage.pName = "main";
  info.layout = layout_;
  check(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_),
        "vkCreateComputePipelines");
  vkDestroyShaderModule(device, shader, nullptr);
  const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 16};
  VkDescriptorPoolCreateInfo pool = {};
  pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool.maxSets = 8;
  pool.poolSizeCount = 1;
  pool.pPoolSizes = &size;
  check(vkCreateDescriptorPool(device, &pool, nullptr, &pool_), "vkCreateDescriptorPool");
}

Pass::~Pass() {
  vkDestroyDescriptorPool(device_, pool_, nullptr);
  vkDestroyPipeline(device_, pipeline_, nullptr);
  vkDestroyPipelineLayout(device_, layout_, nullptr);
  vkDestroyDescriptorSetLayout(device_, set_layout_, nullptr);
}

void Pass::record(VkCommandBuffer commands, const std::array<Range, 2>& ranges,
                  const std::array<std::uint32_t, 3>& numbers, std::uint32_t threads) {
  VkDescriptorSetAllocateInfo allocate = {};
  allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocate.descriptorPool = pool_;
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &set_layout_;
  VkDescriptorSet set = VK_NULL_HANDLE;
  check(vkAllocateDescriptorSets(device_, &allocate, &set), "vkAllocateDescriptorSets");
  for (std::uint32_t i = 0; i < 2; ++i) {
    const VkDescriptorBufferInfo buffer = {ranges[i].buffer, ranges[i].offset, ranges[i].bytes};
    VkWriteDescriptorSet write = {};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set;
    write.dstBinding = i;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &buffer;
    vkUpdateDescriptorSets(device_, 1, &write, 0, nullptr);
  }
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set, 0,
                          nullptr);
  vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, 12, numbers.data());
  vkCmdDispatch(commands, (threads + 63) / 64, 1, 1);
}

Recording begin(VkDevice device, std::uint32_t family) {
  Recording recording = {};
  VkCommandPoolCreateInfo pool = {};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.queueFamilyIndex = family;
  check(vkCreateCommandPool(device, &pool, nullptr, &recording.pool), "vkCreateCommandPool");
  VkCommandBufferAllocateInfo allocate = {};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = recording.pool;
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = 1;
  check(vkAllocateCommandBuffers(device, &allocate, &recording.commands),
        "vkAllocateCommandBuffers");
  VkCommandBufferBeginInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  check(vkBeginCommandBuffer(recording.commands, &info), "vkBeginCommandBuffer");
  return recording;
}

void submit(VkQueue queue, const Recording& recording, VkSemaphore timeline, std::uint64_t wait,
            std::uint64_t signal) {
  VkMemoryBarrier to_host = {};
  to_host.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  to_host.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  to_host.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(recording.commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                       VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, nullptr, 0, nullptr);
  check(vkEndCommandBuffer(recording.commands), "vkEndCommandBuffer");
  const std::uint32_t waits = wait > 0 ? 1 : 0;
  VkTimelineSemaphoreSubmitInfo values = {};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.waitSemaphoreValueCount = waits;
  values.pWaitSemaphoreValues = &wait;
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = &signal;
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
  VkSubmitInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &values;
  info.waitSemaphoreCount = waits;
  info.pWaitSemaphores = &timeline;
  info.pWaitDstStageMask = &stage;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &recording.commands;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &timeline;
  check(vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
}

VkSemaphore create_timeline(VkDevice device) {
  VkSemaphoreTypeCreateInfo type = {};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  VkSemaphore semaphore = VK_NULL_HANDLE;
  check(vkCreateSemaphore(device, &info, nullptr, &semaphore), "vkCreateSemaphore");
  return semaphore;
}

void wait_for(VkDevice device, VkSemaphore timeline, std::uint64_t value) {
  VkSemaphoreWaitInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline;
  info.pValues = &value;
  check(vkWaitSemaphores(device, &info, 60000000000u), "vkWaitSemaphores");
}

}  // namespace engine
