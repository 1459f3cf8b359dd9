// SPDX-License-Identifier: MIT
#pragma once
// Names and labels for debuggers and profilers (VK_EXT_debug_utils).

#include <cstdint>
#include <string>

#include "vkmoye/runtime/vk/table.hpp"

namespace vkmoye::vk {

/// Does nothing unless the extension is enabled.
class DebugNames {
 public:
  DebugNames() = default;  // it is not enabled
  /// The extension is enabled on the instance of `table`.
  DebugNames(const InstanceTable& table, VkDevice device);

  bool are_enabled() const { return set_ != nullptr; }
  /// Failing is no error: the object just has no name.
  void name(VkObjectType type, std::uint64_t handle, const std::string& text) const noexcept;
  /// What is recorded until `end` has the label `text`.
  void begin(VkCommandBuffer commands, const std::string& text) const noexcept;
  void end(VkCommandBuffer commands) const noexcept;

 private:
  VkDevice device_ = VK_NULL_HANDLE;
  // All null, or none.
  PFN_vkSetDebugUtilsObjectNameEXT set_ = nullptr;
  PFN_vkCmdBeginDebugUtilsLabelEXT begin_ = nullptr;
  PFN_vkCmdEndDebugUtilsLabelEXT end_ = nullptr;
};

/// The label of what is recorded while it exists.
class DebugLabel {
 public:
  DebugLabel(const DebugNames& names, VkCommandBuffer commands, const std::string& text)
      : names_(names), commands_(commands) {
    names_.begin(commands_, text);
  }
  ~DebugLabel() { names_.end(commands_); }
  DebugLabel(const DebugLabel&) = delete;
  DebugLabel& operator=(const DebugLabel&) = delete;

 private:
  const DebugNames& names_;
  VkCommandBuffer commands_;
};

}  // namespace vkmoye::vk
