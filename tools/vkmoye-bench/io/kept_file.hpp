// SPDX-License-Identifier: MIT
#pragma once
// Files that are kept between runs, and that several programs may change at the same time.
//
//   const FolderLock lock(file);     other programs wait here
//   text = read(file) + mine;
//   replace(file, text);

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "vkmoye/system/folder_lock.hpp"

namespace vkmoye::bench {

/// Locks the folder of `file`, creating it, against other threads and programs. The lock ends with the program,
/// even after a crash. Waits at most `max`; after that, and on file systems without locks, continues without the
/// lock: changes that others write in the meantime may then be lost.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& file,
                      std::chrono::seconds max = std::chrono::seconds(10));
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// How long the constructor waited, in seconds; 0 if the lock was free.
  double seconds_waited() const { return seconds_waited_; }

 private:
  std::optional<system::LockableFolder> folder_;
  double seconds_waited_ = 0;
};

/// The part of a file name that says which device the file is about: the letters and digits of `device`, single dashes
/// between: "llvmpipe (LLVM 19.1.7, 256 bits)" is "llvmpipe-LLVM-19-1-7-256-bits-".
std::string device_file_name(const std::string& device);

/// The checksum of files, which detects damage: XXH3-64 of `bytes`. `seed`: the checksum of the preceding bytes.
std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed = 0);

/// checksum(bytes) as 16 hexadecimal digits.
std::string checksum_text(std::span<const std::byte> bytes);
std::string checksum_text(const std::string& text);

}  // namespace vkmoye::bench
