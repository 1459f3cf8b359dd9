// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/vk/check.hpp"

#include "vkmoye/base/error.hpp"

namespace vkmoye::vk {
namespace {

DeviceError::Kind kind_of(VkResult result) {
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
    case VK_ERROR_FRAGMENTATION: return DeviceError::Kind::kOutOfMemory;
    case VK_ERROR_DEVICE_LOST: return DeviceError::Kind::kLost;
    case VK_ERROR_INCOMPATIBLE_DRIVER: return DeviceError::Kind::kNoDevice;
    default: return DeviceError::Kind::kOther;
  }
}

}  // namespace

std::string result_name(VkResult result) {
  switch (result) {
#define VKMOYE_NAME(value) \
  case value: return #value;
    VKMOYE_NAME(VK_SUCCESS)
    VKMOYE_NAME(VK_NOT_READY)
    VKMOYE_NAME(VK_TIMEOUT)
    VKMOYE_NAME(VK_INCOMPLETE)
    VKMOYE_NAME(VK_ERROR_OUT_OF_HOST_MEMORY)
    VKMOYE_NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY)
    VKMOYE_NAME(VK_ERROR_INITIALIZATION_FAILED)
    VKMOYE_NAME(VK_ERROR_DEVICE_LOST)
    VKMOYE_NAME(VK_ERROR_MEMORY_MAP_FAILED)
    VKMOYE_NAME(VK_ERROR_LAYER_NOT_PRESENT)
    VKMOYE_NAME(VK_ERROR_EXTENSION_NOT_PRESENT)
    VKMOYE_NAME(VK_ERROR_FEATURE_NOT_PRESENT)
    VKMOYE_NAME(VK_ERROR_INCOMPATIBLE_DRIVER)
    VKMOYE_NAME(VK_ERROR_TOO_MANY_OBJECTS)
    VKMOYE_NAME(VK_ERROR_FRAGMENTED_POOL)
    VKMOYE_NAME(VK_ERROR_UNKNOWN)
    VKMOYE_NAME(VK_ERROR_OUT_OF_POOL_MEMORY)
    VKMOYE_NAME(VK_ERROR_INVALID_EXTERNAL_HANDLE)
    VKMOYE_NAME(VK_ERROR_FRAGMENTATION)
    VKMOYE_NAME(VK_ERROR_VALIDATION_FAILED_EXT)
    VKMOYE_NAME(VK_ERROR_INVALID_SHADER_NV)
#undef VKMOYE_NAME
    default: return "VkResult " + std::to_string(static_cast<int>(result));
  }
}

void fail(VkResult result, std::string_view call) {
  throw DeviceError(kind_of(result), std::string(call) + " -> " + result_name(result));
}

void require_commands(VkCommandBuffer commands, const std::string& subject) {
  if (commands == VK_NULL_HANDLE) throw ArgumentError(subject + ": the VkCommandBuffer is null");
}

}  // namespace vkmoye::vk
