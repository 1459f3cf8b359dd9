// SPDX-License-Identifier: MIT
#include "vkmoye/system/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

namespace vkmoye::system {
namespace {

std::string system_error(int error) { return std::generic_category().message(error); }

// A file descriptor, closed with its owner.
struct File {
  int descriptor = -1;
  ~File() {
    if (descriptor >= 0) close(descriptor);
  }
};

bool write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = EIO;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

// The file at `path`; if there is none, st_mode is 0. `reason`: why it must not be replaced. Root could write to a file
// without any write permission, but such a file is meant to be kept.
struct stat look_at(const std::filesystem::path& path, std::string& reason) {
  struct stat found = {};
  if (stat(path.c_str(), &found) != 0) {
    if (errno != ENOENT) reason = system_error(errno);
    return {};
  }
  if (!S_ISREG(found.st_mode)) {
    reason = S_ISDIR(found.st_mode) ? system_error(EISDIR) : "not a regular file";
  } else if (access(path.c_str(), W_OK) != 0) {
    reason = system_error(errno);
  } else if ((found.st_mode & 0222) == 0) {
    reason = "it is read-only";
  }
  return found;
}

// Opens a new file in `folder` and sets its name; returns -1 and sets errno if it cannot.
int open_new(const std::filesystem::path& folder, mode_t mode, std::filesystem::path& name) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    // Not derived from the target's name, which may already have the maximum length.
    name =
        folder / (".vkmoye-" + std::to_string(getpid()) + "-" + std::to_string(attempt) + ".new");
    const int descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

// The owner first, because changing it clears some bits of the mode. Only root may change it.
bool take_over(int descriptor, const struct stat& before) {
  static_cast<void>(fchown(descriptor, before.st_uid, before.st_gid) == 0);
  return fchmod(descriptor, before.st_mode & 0777) == 0;
}

}  // namespace

std::string reason_against_reading(const std::filesystem::path& path) {
  const File file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat status = {};
  if (file.descriptor < 0 || fstat(file.descriptor, &status) != 0) return system_error(errno);
  if (S_ISDIR(status.st_mode)) return system_error(EISDIR);
  return S_ISREG(status.st_mode) ? ""
                                 : "is not a regular file; save the data of a pipe to a file first";
}

std::vector<std::byte> read_file(const std::filesystem::path& path, std::string& error) {
  error.clear();
  // O_NONBLOCK: opening a named pipe in its place must not hang.
  const File file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.descriptor < 0) {
    if (errno != ENOENT) error = system_error(errno);
    return {};
  }
  struct stat status = {};
  if (fstat(file.descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<std::uint64_t>(status.st_size) > kMaxFileBytes) {
    error = "not a regular file of at most 1 GiB";
    return {};
  }
  std::vector<std::byte> contents(static_cast<std::size_t>(status.st_size));
  std::size_t filled = 0;
  while (filled < contents.size()) {
    const ssize_t got = read(file.descriptor, contents.data() + filled, contents.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      error = system_error(errno);
      return {};
    }
    if (got == 0) break;  // shorter than before: a checksum detects this
    filled += static_cast<std::size_t>(got);
  }
  contents.resize(filled);
  return contents;
}

std::string replace_file(const std::filesystem::path& path, std::span<const std::byte> contents,
                         Permissions permissions) {
  std::string reason;
  const struct stat before = look_at(path, reason);
  if (!reason.empty()) return reason;
  const std::filesystem::path target = follow_links(path);
  const bool is_for_owner = permissions == Permissions::owner_only;
  std::filesystem::path temporary;
  const File file{open_new(target.parent_path(), is_for_owner ? 0600 : 0666, temporary)};
  if (file.descriptor < 0) return system_error(errno);
  const bool keeps_mode = !is_for_owner && before.st_mode != 0;
  if ((keeps_mode && !take_over(file.descriptor, before)) ||
      !write_all(file.descriptor, contents) || fsync(file.descriptor) != 0 ||
      std::rename(temporary.c_str(), target.c_str()) != 0) {
    reason = system_error(errno);
    unlink(temporary.c_str());
  }
  return reason;
}

}  // namespace vkmoye::system
