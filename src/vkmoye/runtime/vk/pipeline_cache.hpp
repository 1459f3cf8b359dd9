// SPDX-License-Identifier: MIT
#pragma once
// The driver's pipeline cache: ours, kept on disk between runs, or the user's own.

#include <filesystem>
#include <mutex>
#include <string>

#include "vkmoye/runtime/vk/logical_device.hpp"
#include "vkmoye/runtime/vk/owned.hpp"

namespace vkmoye::vk {

/// Thread-safe. A cache that cannot be read or written makes the start slower; it is not an error.
class PipelineCache {
 public:
  /// `folder` empty: in memory only, and `status()` begins with `why_memory_only`.
  PipelineCache(const LogicalDevice& device, const DriverIdentity& driver,
                const std::filesystem::path& folder, std::string why_memory_only);
  /// Pipelines are created with `theirs`, which is neither saved nor destroyed.
  PipelineCache(const LogicalDevice& device, VkPipelineCache theirs);

  VkPipelineCache handle() const { return handle_; }
  /// Call after a pipeline was created: there is something to save.
  void mark_changed();
  /// Writes the file if something changed since it was read or written.
  void save() noexcept;
  /// One line: what was loaded or why not, and what was saved or why not.
  std::string status() const;

 private:
  void save_or_throw();

  const LogicalDevice& device_;
  DriverIdentity driver_;
  std::filesystem::path path_;    // empty: memory only
  Owned<VkPipelineCache> owned_;  // null: the user's
  VkPipelineCache handle_ = VK_NULL_HANDLE;
  mutable std::mutex mutex_;
  bool changed_ = false;
  std::string loaded_, saved_;  // the two halves of status()
};

}  // namespace vkmoye::vk
