// SPDX-License-Identifier: MIT
#pragma once
// Files that several programs change at once: each reads, changes and writes back alone.
//
//   const FolderLock lock(file);     the others wait here
//   text = read(file) + mine;
//   replace(file, text);

#include <filesystem>

namespace vkmoye::bench {

/// A lock of the folder that `file` is in, which is made; against threads as well as programs, gone with
/// the program however it ends. Waits for 10 s at most; after that, and on file systems without locks, it
/// goes on without: what is written may then lack what another writes meanwhile.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& file);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace vkmoye::bench
