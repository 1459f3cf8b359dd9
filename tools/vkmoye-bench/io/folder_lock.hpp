// SPDX-License-Identifier: MIT
#pragma once
// A lock for files that several programs may change at the same time.
//
//   const FolderLock lock(file);     other programs wait here
//   text = read(file) + mine;
//   replace(file, text);

#include <filesystem>
#include <optional>

#include "vkmoye/system/folder_lock.hpp"

namespace vkmoye::bench {

/// Locks the folder of `file`, creating it, against other threads and programs. The lock ends with the program,
/// even after a crash. Waits at most 10 s; after that, and on file systems without locks, continues without the
/// lock: changes that others write in the meantime may then be lost.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& file);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  std::optional<system::LockableFolder> folder_;
};

}  // namespace vkmoye::bench
