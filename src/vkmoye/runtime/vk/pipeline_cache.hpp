// SPDX-License-Identifier: MIT
#pragma once
// The driver's pipeline cache, kept on disk between runs.

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

  VkPipelineCache handle() const { return cache_.get(); }
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
  std::filesystem::path path_;  // empty: memory only
  Owned<VkPipelineCache> cache_;
  mutable std::mutex mutex_;
  bool changed_ = false;
  std::string loaded_, saved_;  // the two halves of status()
};

}  // namespace vkmoye::vk
