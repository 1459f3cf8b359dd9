// SPDX-License-Identifier: MIT
#include "gpu.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace own {
namespace {

constexpr std::uint32_t kVersion = VK_API_VERSION_1_3;

bool lists(VkPhysicalDevice physical, const char* extension) {
  std::uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> all(count);
  vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, all.data());
  return std::any_of(all.begin(), all.end(), [&](const VkExtensionProperties& one) {
    return std::strcmp(one.extensionName, extension) == 0;
  });
}

}  // namespace

void check(VkResult result, const char* what) {
  if (result == VK_SUCCESS) return;
  throw std::runtime_error(std::string(what) + ": VkResult " + std::to_string(result));
}

Gpu::Gpu(std::uint32_t number) {
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = kVersion;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  check(vkCreateInstance(&info, nullptr, &instance_), "vkCreateInstance");
  try {
    std::uint32_t count = 0;
    check(vkEnumeratePhysicalDevices(instance_, &count, nullptr), "vkEnumeratePhysicalDevices");
    std::vector<VkPhysicalDevice> all(count);
    check(vkEnumeratePhysicalDevices(instance_, &count, all.data()), "vkEnumeratePhysicalDevices");
    if (number >= all.size()) {
      throw std::runtime_error("there is no device " + std::to_string(number) + " among " +
                               std::to_string(all.size()));
    }
    physical_ = all[number];
    vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, families.data());
    while ((families.at(family_).queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) ++family_;
    caps_ = vkmoye::caps_of(vkGetInstanceProcAddr, instance_, physical_, kVersion);
    if (families[family_].timestampValidBits == 0) caps_.timestamp_period_ns = 0;
    // Vulkan's headers before 1.4.317 lack the structure that enables matrices of bf16: kernels do without.
    caps_.features.remove(vkmoye::Feature::bf16_matrix);
  } catch (...) {
    vkDestroyInstance(instance_, nullptr);
    throw;
  }
}

void Gpu::open(const std::vector<const vkmoye::KernelInterface*>& kernels,
               std::uint32_t resident_groups) {
  const vkmoye::DeviceRequirements needs = vkmoye::required_for(kernels, caps_, kVersion);
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices = {};
  matrices.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR;
  VkPhysicalDeviceVulkan13Features v13 = {};
  v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  features_ = needs.features;
  if (features_.has(vkmoye::Feature::cooperative_matrix)) v13.pNext = &matrices;
  VkPhysicalDeviceVulkan12Features v12 = {};
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  v12.pNext = &v13;
  VkPhysicalDeviceVulkan11Features v11 = {};
  v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  v11.pNext = &v12;
  VkPhysicalDeviceFeatures2 features = {};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &v11;
  vkmoye::enable(needs, features);  // throws if the chain lacks a structure
  std::vector<const char*> extensions = needs.extensions;
  bool pushes = false;
  for (const char* useful : needs.useful_extensions) {
    if (!lists(physical_, useful)) continue;
    extensions.push_back(useful);
    pushes = pushes || std::string_view(useful) == VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME;
  }
  const float priority = 1;
  VkDeviceQueueCreateInfo queue = {};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  check(vkCreateDevice(physical_, &info, nullptr, &handle_), "vkCreateDevice");
  vkGetDeviceQueue(handle_, family_, 0, &queue_);

  VmaAllocatorCreateInfo allocator = {};
  allocator.instance = instance_;
  allocator.physicalDevice = physical_;
  allocator.device = handle_;
  allocator.vulkanApiVersion = kVersion;
  check(vmaCreateAllocator(&allocator, &allocator_), "vmaCreateAllocator");

  vkmoye::AdoptedDevice ours;
  ours.get_instance_proc_addr = vkGetInstanceProcAddr;
  ours.instance = instance_;
  ours.physical_device = physical_;
  ours.device = handle_;
  ours.queue = queue_;
  ours.queue_family = family_;
  ours.api_version = kVersion;
  ours.features = features_;
  ours.timeline_semaphores = true;  // among needs.bits
  ours.push_descriptors = pushes;   // a recording then takes a fraction of the time
  const vkmoye::OpenOptions how = {.resident_groups = resident_groups};
  device_ = std::make_unique<vkmoye::Device>(vkmoye::Device::adopt(ours, how));
}

Gpu::~Gpu() {
  device_.reset();
  if (allocator_ != nullptr) vmaDestroyAllocator(allocator_);
  if (handle_ != VK_NULL_HANDLE) vkDestroyDevice(handle_, nullptr);
  vkDestroyInstance(instance_, nullptr);
}

Array::Array(Gpu& gpu, std::uint64_t bytes, bool on_host) : gpu_(&gpu), bytes_(bytes) {
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VmaAllocationCreateInfo how = {};
  how.usage = on_host ? VMA_MEMORY_USAGE_AUTO : VMA_MEMORY_USAGE_AUTO_PREFER_DEVICE;
  if (on_host) {
    how.flags = VMA_ALLOCATION_CREATE_HOST_ACCESS_RANDOM_BIT | VMA_ALLOCATION_CREATE_MAPPED_BIT;
  }
  VmaAllocationInfo allocated = {};
  check(vmaCreateBuffer(gpu.allocator(), &info, &how, &buffer_, &allocation_, &allocated),
        "vmaCreateBuffer");
  if (on_host) {
    mapped_ = allocated.pMappedData;
    std::memset(mapped_, 0, bytes);
    return;
  }
  Commands commands(gpu);
  vkCmdFillBuffer(commands.handle(), buffer_, 0, VK_WHOLE_SIZE, 0);
  commands.end();
  commands.run();
}

Array::Array(Array&& other) noexcept
    : gpu_(other.gpu_),
      bytes_(other.bytes_),
      buffer_(std::exchange(other.buffer_, VK_NULL_HANDLE)),
      allocation_(std::exchange(other.allocation_, nullptr)),
      mapped_(other.mapped_) {}

Array::~Array() {
  if (buffer_ != VK_NULL_HANDLE) vmaDestroyBuffer(gpu_->allocator(), buffer_, allocation_);
}

void Array::write(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (mapped_ == nullptr) return upload(bytes, offset);
  std::memcpy(static_cast<std::byte*>(mapped_) + offset, bytes.data(), bytes.size());
  check(vmaFlushAllocation(gpu_->allocator(), allocation_, 0, VK_WHOLE_SIZE), "vmaFlushAllocation");
}

void Array::upload(std::span<const std::byte> bytes, std::uint64_t offset) {
  constexpr std::size_t kPart = 64 << 20;
  Array staging(*gpu_, std::min(kPart, bytes.size()), true);
  for (std::size_t at = 0; at < bytes.size(); at += kPart) {
    const auto part = bytes.subspan(at, std::min(kPart, bytes.size() - at));
    staging.write(part);
    Commands commands(*gpu_);
    const VkBufferCopy copy = {0, offset + at, part.size()};
    vkCmdCopyBuffer(commands.handle(), staging.buffer_, buffer_, 1, &copy);
    commands.end();
    commands.run();
  }
}

void Array::read(std::span<std::byte> bytes, std::uint64_t offset) const {
  check(vmaInvalidateAllocation(gpu_->allocator(), allocation_, 0, VK_WHOLE_SIZE),
        "vmaInvalidateAllocation");
  std::memcpy(bytes.data(), static_cast<const std::byte*>(mapped_) + offset, bytes.size());
}

std::vector<std::byte> Array::download(std::uint64_t offset, std::uint64_t bytes) const {
  const Array staging(*gpu_, bytes, true);
  Commands commands(*gpu_);
  const VkBufferCopy copy = {offset, 0, bytes};
  vkCmdCopyBuffer(commands.handle(), buffer_, staging.buffer_, 1, &copy);
  commands.end();
  commands.run();
  std::vector<std::byte> out(bytes);
  staging.read(out);
  return out;
}

Commands::Commands(Gpu& gpu, std::uint32_t marks) : gpu_(gpu) {
  VkCommandPoolCreateInfo pool = {};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.queueFamilyIndex = gpu.family();
  check(vkCreateCommandPool(gpu.handle(), &pool, nullptr, &pool_), "vkCreateCommandPool");
  VkCommandBufferAllocateInfo allocate = {};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = pool_;
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = 1;
  check(vkAllocateCommandBuffers(gpu.handle(), &allocate, &commands_), "vkAllocateCommandBuffers");
  VkFenceCreateInfo fence = {};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  check(vkCreateFence(gpu.handle(), &fence, nullptr, &fence_), "vkCreateFence");
  VkCommandBufferBeginInfo begin = {};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  check(vkBeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer");
  if (marks == 0) return;
  VkQueryPoolCreateInfo queries = {};
  queries.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
  queries.queryCount = marks;
  check(vkCreateQueryPool(gpu.handle(), &queries, nullptr, &queries_), "vkCreateQueryPool");
  vkCmdResetQueryPool(commands_, queries_, 0, marks);
}

Commands::~Commands() {
  vkDestroyQueryPool(gpu_.handle(), queries_, nullptr);
  vkDestroyFence(gpu_.handle(), fence_, nullptr);
  vkDestroyCommandPool(gpu_.handle(), pool_, nullptr);
}

void Commands::mark() {
  vkCmdWriteTimestamp(commands_, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_, marks_++);
}

void Commands::end() {
  VkMemoryBarrier to_host = {};
  to_host.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  to_host.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  to_host.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0,
                       1, &to_host, 0, nullptr, 0, nullptr);
  check(vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
}

void Commands::run() {
  VkSubmitInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands_;
  check(vkQueueSubmit(gpu_.queue(), 1, &info, fence_), "vkQueueSubmit");
  // Some drivers compile kernels when they first run, which takes long on a busy machine.
  constexpr std::uint64_t kNanoseconds = 600'000'000'000;
  check(vkWaitForFences(gpu_.handle(), 1, &fence_, VK_TRUE, kNanoseconds), "vkWaitForFences");
  check(vkResetFences(gpu_.handle(), 1, &fence_), "vkResetFences");
}

std::vector<double> Commands::microseconds() const {
  std::vector<std::uint64_t> ticks(marks_);
  check(vkGetQueryPoolResults(gpu_.handle(), queries_, 0, marks_, 8 * ticks.size(), ticks.data(), 8,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
        "vkGetQueryPoolResults");
  std::vector<double> out;
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    out.push_back(static_cast<double>(ticks[i] - ticks[i - 1]) * gpu_.caps().timestamp_period_ns /
                  1000);
  }
  return out;
}

}  // namespace own
