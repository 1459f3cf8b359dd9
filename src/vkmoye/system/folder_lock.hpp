// SPDX-License-Identifier: MIT
#pragma once
// A lock of a folder among programs.

#include <cstdint>
#include <filesystem>

namespace vkmoye::system {

/// A folder that is open to be locked. The lock ends with the object and with the program, even after a crash.
class LockableFolder {
 public:
  /// On Windows, which cannot lock a folder, the lock is that of the file ".vkmoye-lock" in it.
  explicit LockableFolder(const std::filesystem::path& folder);
  ~LockableFolder();
  LockableFolder(const LockableFolder&) = delete;
  LockableFolder& operator=(const LockableFolder&) = delete;

  enum class Outcome : std::uint8_t {
    locked,
    busy,       // another thread or program has it
    impossible  // the folder cannot be opened, or its file system has no locks
  };
  /// Does not wait.
  Outcome try_lock();

 private:
  std::intptr_t handle_;  // a descriptor or a HANDLE; -1: it could not be opened
};

}  // namespace vkmoye::system
