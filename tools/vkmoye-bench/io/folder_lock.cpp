// SPDX-License-Identifier: MIT
#include "io/folder_lock.hpp"

#include <chrono>
#include <system_error>
#include <thread>

namespace vkmoye::bench {

FolderLock::FolderLock(const std::filesystem::path& file) {
  constexpr std::chrono::seconds kMax(10);
  constexpr std::chrono::milliseconds kPause(2);
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::error_code error;
  // A failure is reported when the file is written.
  std::filesystem::create_directories(folder, error);
  folder_.emplace(folder);
  const auto end = std::chrono::steady_clock::now() + kMax;
  while (folder_->try_lock() == system::LockableFolder::Outcome::busy &&
         std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace vkmoye::bench
