// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/vk/debug_names.hpp"

namespace vkmoye::vk {

DebugNames::DebugNames(const InstanceTable& table, VkDevice device) : device_(device) {
  if (table.SetDebugUtilsObjectNameEXT == nullptr || table.CmdBeginDebugUtilsLabelEXT == nullptr ||
      table.CmdEndDebugUtilsLabelEXT == nullptr) {
    return;
  }
  set_ = table.SetDebugUtilsObjectNameEXT;
  begin_ = table.CmdBeginDebugUtilsLabelEXT;
  end_ = table.CmdEndDebugUtilsLabelEXT;
}

void DebugNames::name(VkObjectType type, std::uint64_t handle,
                      const std::string& text) const noexcept {
  if (!are_enabled()) return;
  VkDebugUtilsObjectNameInfoEXT info = {};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT;
  info.objectType = type;
  info.objectHandle = handle;
  info.pObjectName = text.c_str();
  static_cast<void>(set_(device_, &info));
}

void DebugNames::begin(VkCommandBuffer commands, const std::string& text) const noexcept {
  if (!are_enabled()) return;
  VkDebugUtilsLabelEXT label = {};
  label.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT;
  label.pLabelName = text.c_str();
  begin_(commands, &label);
}

void DebugNames::end(VkCommandBuffer commands) const noexcept {
  if (are_enabled()) end_(commands);
}

}  // namespace vkmoye::vk
