// SPDX-License-Identifier: MIT
#include "vkmoye/system/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace vkmoye::system {

LockableFolder::LockableFolder(const std::filesystem::path& folder)
    : handle_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

LockableFolder::~LockableFolder() {
  if (handle_ >= 0) close(static_cast<int>(handle_));
}

LockableFolder::Outcome LockableFolder::try_lock() {
  if (handle_ < 0) return Outcome::impossible;
  if (flock(static_cast<int>(handle_), LOCK_EX | LOCK_NB) == 0) return Outcome::locked;
  return errno == EWOULDBLOCK || errno == EINTR ? Outcome::busy : Outcome::impossible;
}

}  // namespace vkmoye::system
