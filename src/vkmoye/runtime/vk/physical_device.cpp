// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/vk/physical_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vkmoye/runtime/vk/check.hpp"
#include "vkmoye/runtime/vk/features.hpp"

namespace vkmoye::vk {
namespace {

DeviceKind kind_of(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return DeviceKind::discrete;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return DeviceKind::integrated;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return DeviceKind::virtual_gpu;
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return DeviceKind::cpu;
    default: return DeviceKind::other;
  }
}

std::string version_text(std::uint32_t version) {
  return fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
                     VK_API_VERSION_PATCH(version));
}

// Numbers rather than enumerators: a driver reports types that are newer than the header.
std::string component_name(int type) {
  constexpr std::pair<int, const char*> kNames[] = {
      {0, "f16"},
      {1, "f32"},
      {2, "f64"},
      {3, "s8"},
      {4, "s16"},
      {5, "s32"},
      {6, "s64"},
      {7, "u8"},
      {8, "u16"},
      {9, "u32"},
      {10, "u64"},
      {1000141000, "bf16"},
      {1000491002, "f8e4m3"},
      {1000491003, "f8e5m2"},
  };
  for (const auto& [value, name] : kNames) {
    if (value == type) return name;
  }
  return fmt::format("type{}", type);
}

std::string scope_name(VkScopeKHR scope) {
  switch (scope) {
    case VK_SCOPE_DEVICE_KHR: return "device";
    case VK_SCOPE_WORKGROUP_KHR: return "workgroup";
    case VK_SCOPE_SUBGROUP_KHR: return "subgroup";
    case VK_SCOPE_QUEUE_FAMILY_KHR: return "queue_family";
    default: return fmt::format("scope{}", static_cast<int>(scope));
  }
}

std::vector<MatrixShape> query_matrix_shapes(const InstanceTable& vk, VkPhysicalDevice device) {
  if (vk.GetPhysicalDeviceCooperativeMatrixPropertiesKHR == nullptr) return {};
  VkCooperativeMatrixPropertiesKHR blank = {};
  blank.sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR;
  const auto rows = enumerate<VkCooperativeMatrixPropertiesKHR>(
      "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR",
      [&](auto* count, auto* items) {
        return vk.GetPhysicalDeviceCooperativeMatrixPropertiesKHR(device, count, items);
      },
      blank);
  std::vector<MatrixShape> shapes;
  for (const auto& row : rows) {
    shapes.push_back({row.MSize, row.NSize, row.KSize, component_name(row.AType),
                      component_name(row.BType), component_name(row.CType),
                      component_name(row.ResultType), scope_name(row.scope),
                      row.saturatingAccumulation == VK_TRUE});
  }
  return shapes;
}

// The first family with compute support and timestamps, else the first with compute support.
std::optional<std::uint32_t> choose_family(const std::vector<VkQueueFamilyProperties>& families) {
  std::optional<std::uint32_t> chosen;
  for (std::uint32_t i = 0; i < families.size(); ++i) {
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) continue;
    if (families[i].timestampValidBits != 0) return i;
    if (!chosen) chosen = i;
  }
  return chosen;
}

// Limits, and the features that are not feature bits: what subgroups can do, and whether compute
// shaders are among those whose subgroup size can be chosen.
struct SubgroupAbilities {
  FeatureSet operations;
  bool size_of_compute = false;
};

SubgroupAbilities query_properties(const InstanceTable& vk, PhysicalDevice& device) {
  VkPhysicalDeviceProperties2 base = {};
  base.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  VkPhysicalDeviceVulkan11Properties v11 = {};
  v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
  VkPhysicalDeviceVulkan12Properties v12 = {};
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
  VkPhysicalDeviceSubgroupSizeControlProperties subgroup = {};
  subgroup.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES;
  VkPhysicalDeviceMaintenance4Properties maintenance4 = {};
  maintenance4.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES;

  VkPhysicalDevicePushDescriptorPropertiesKHR push = {};
  push.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR;

  VkPhysicalDeviceShaderSMBuiltinsPropertiesNV multiprocessors = {};
  multiprocessors.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV;
  VkPhysicalDeviceShaderCoreProperties2AMD compute_units = {};
  compute_units.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_2_AMD;

  base.pNext = &v11;
  v11.pNext = &v12;
  void** tail = &v12.pNext;
  const bool is_1_3 = device.api_version >= VK_API_VERSION_1_3;
  const auto append = [&](auto& properties, const char* extension, bool is_core) {
    if (!is_core && !device.has_extension(extension)) return;
    *tail = &properties;
    tail = &properties.pNext;
  };
  append(subgroup, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME, is_1_3);
  append(maintenance4, VK_KHR_MAINTENANCE_4_EXTENSION_NAME, is_1_3);
  append(push, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME, /*is_core=*/false);
  append(multiprocessors, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME, /*is_core=*/false);
  append(compute_units, VK_AMD_SHADER_CORE_PROPERTIES_2_EXTENSION_NAME, /*is_core=*/false);
  vk.GetPhysicalDeviceProperties2(device.handle, &base);

  DeviceCaps& caps = device.caps;
  const VkPhysicalDeviceLimits& limits = base.properties.limits;
  caps.driver = v12.driverInfo[0] == '\0' ? std::string(v12.driverName)
                                          : fmt::format("{} {}", v12.driverName, v12.driverInfo);
  std::copy_n(limits.maxComputeWorkGroupCount, 3, caps.max_group_count.begin());
  std::copy_n(limits.maxComputeWorkGroupSize, 3, caps.max_workgroup_size.begin());
  caps.max_workgroup_invocations = limits.maxComputeWorkGroupInvocations;
  caps.max_shared_bytes = limits.maxComputeSharedMemorySize;
  caps.max_push_constant_bytes = limits.maxPushConstantsSize;
  caps.max_storage_buffers =
      std::min(limits.maxPerStageDescriptorStorageBuffers, limits.maxDescriptorSetStorageBuffers);
  caps.max_storage_buffer_bytes = limits.maxStorageBufferRange;
  caps.max_allocation_bytes = v11.maxMemoryAllocationSize;
  caps.max_buffer_bytes =
      maintenance4.maxBufferSize != 0 ? maintenance4.maxBufferSize : v11.maxMemoryAllocationSize;
  caps.max_sparse_buffer_bytes =
      std::min<std::uint64_t>(caps.max_buffer_bytes, limits.sparseAddressSpaceSize);
  caps.storage_buffer_alignment =
      static_cast<std::uint32_t>(std::max<VkDeviceSize>(1, limits.minStorageBufferOffsetAlignment));
  caps.subgroup_size = v11.subgroupSize;
  caps.min_subgroup_size =
      subgroup.minSubgroupSize != 0 ? subgroup.minSubgroupSize : v11.subgroupSize;
  caps.max_subgroup_size =
      subgroup.maxSubgroupSize != 0 ? subgroup.maxSubgroupSize : v11.subgroupSize;
  caps.max_workgroup_subgroups = subgroup.maxComputeWorkgroupSubgroups;
  // Each multiprocessor holds a workgroup of any size; so do two compute units together, which RDNA calls a workgroup
  // processor.
  caps.resident_groups = multiprocessors.shaderSMCount != 0
                             ? multiprocessors.shaderSMCount
                             : compute_units.activeComputeUnitCount / 2;
  caps.timestamp_period_ns =
      device.timestamp_bits == 0 ? 0 : static_cast<double>(limits.timestampPeriod);
  device.max_push_descriptors = push.maxPushDescriptors;
  std::copy_n(v11.deviceUUID, VK_UUID_SIZE, device.identity.device_uuid.begin());

  const bool computes = (v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  return {computes ? subgroup_features(v11.subgroupSupportedOperations) : FeatureSet{},
          (subgroup.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0};
}

std::uint64_t device_memory_bytes(const InstanceTable& vk, VkPhysicalDevice device) {
  VkPhysicalDeviceMemoryProperties memory = {};
  vk.GetPhysicalDeviceMemoryProperties(device, &memory);
  const auto heap = largest_device_heap(memory);
  return heap ? memory.memoryHeaps[*heap].size : 0;
}

void query_features(const InstanceTable& vk, PhysicalDevice& device,
                    const SubgroupAbilities& subgroups, bool binds_sparse) {
  FeatureChain chain(device.api_version,
                     [&](const char* name) { return device.has_extension(name); });
  vk.GetPhysicalDeviceFeatures2(device.handle, &chain.core);
  device.has_timelines = chain.v12.timelineSemaphore != VK_FALSE;
  if (chain.core.features.sparseBinding == VK_FALSE || !binds_sparse) {
    device.caps.max_sparse_buffer_bytes = 0;
  }
  for (const Feature feature : features_in(chain).list()) {
    if (feature != Feature::subgroup_size_control || subgroups.size_of_compute) {
      device.caps.features.add(feature);
    }
  }
  device.caps.features.add(subgroups.operations);
  if (device.caps.has(Feature::cooperative_matrix)) {
    device.caps.matrix_shapes = query_matrix_shapes(vk, device.handle);
  }
}

}  // namespace

bool PhysicalDevice::has_extension(const char* name) const {
  return std::find(extensions.begin(), extensions.end(), name) != extensions.end();
}

PhysicalDevice query(const Instance& instance, VkPhysicalDevice handle,
                     std::optional<std::uint32_t> queue_family) {
  const InstanceTable& vk = instance.table();
  VkPhysicalDeviceProperties properties = {};
  vk.GetPhysicalDeviceProperties(handle, &properties);

  PhysicalDevice device;
  device.handle = handle;
  device.api_version = std::min(instance.api_version(), properties.apiVersion);
  device.caps.name = properties.deviceName;
  device.caps.kind = kind_of(properties.deviceType);
  device.caps.api = version_text(properties.apiVersion);
  device.identity.vendor = properties.vendorID;
  device.identity.device = properties.deviceID;
  device.identity.driver_version = properties.driverVersion;
  std::copy_n(properties.pipelineCacheUUID, VK_UUID_SIZE, device.identity.cache_uuid.begin());
  if (device.api_version < VK_API_VERSION_1_2) {
    device.caps.why_unusable = fmt::format("needs Vulkan 1.2; the driver has {}, the instance {}",
                                           device.caps.api, version_text(instance.api_version()));
    return device;
  }

  std::uint32_t count = 0;
  vk.GetPhysicalDeviceQueueFamilyProperties(handle, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vk.GetPhysicalDeviceQueueFamilyProperties(handle, &count, families.data());
  if (!queue_family) queue_family = choose_family(families);
  if (!queue_family || *queue_family >= families.size() ||
      (families[*queue_family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) {
    device.caps.why_unusable =
        queue_family ? fmt::format("queue family {} has no compute support", *queue_family)
                     : std::string("has no queue with compute support");
    return device;
  }
  device.queue_family = *queue_family;
  device.timestamp_bits = families[*queue_family].timestampValidBits;

  for (const auto& extension : enumerate<VkExtensionProperties>(
           "vkEnumerateDeviceExtensionProperties", [&](auto*size, auto*items) {
             return vk.EnumerateDeviceExtensionProperties(handle, nullptr, size, items);
           })) {
    device.extensions.emplace_back(extension.extensionName);
  }
  const bool binds_sparse = (families[*queue_family].queueFlags & VK_QUEUE_SPARSE_BINDING_BIT) != 0;
  query_features(vk, device, query_properties(vk, device), binds_sparse);
  device.caps.device_memory_bytes = device_memory_bytes(vk, handle);
  return device;
}

std::vector<PhysicalDevice> query_all(const Instance& instance) {
  const auto handles =
      enumerate<VkPhysicalDevice>("vkEnumeratePhysicalDevices", [&](auto* count, auto* items) {
        return instance.table().EnumeratePhysicalDevices(instance.handle(), count, items);
      });
  std::vector<PhysicalDevice> devices;
  for (const VkPhysicalDevice handle : handles) devices.push_back(query(instance, handle));
  return devices;
}

std::optional<std::uint32_t> largest_device_heap(const VkPhysicalDeviceMemoryProperties& memory) {
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    const VkMemoryHeap& heap = memory.memoryHeaps[i];
    if ((heap.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) == 0) continue;
    if (!best || heap.size > memory.memoryHeaps[*best].size) best = i;
  }
  return best;
}

}  // namespace vkmoye::vk
