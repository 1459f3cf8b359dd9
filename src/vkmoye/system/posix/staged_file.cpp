// SPDX-License-Identifier: MIT
#include "vkmoye/system/staged_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

#include "vkmoye/system/file.hpp"

namespace vkmoye::system {
namespace {

std::string message_of(int error) { return std::generic_category().message(error); }

// The status of `path`; st_mode is 0 if there is nothing. `refusal`: why it must not be written, also for root if the
// file is read-only for everybody.
struct stat status_of_target(const std::filesystem::path& path, std::string& refusal) {
  struct stat found = {};
  if (stat(path.c_str(), &found) != 0) {
    if (errno != ENOENT) refusal = message_of(errno);
    return {};
  }
  if (S_ISDIR(found.st_mode)) {
    refusal = message_of(EISDIR);
  } else if (access(path.c_str(), W_OK) != 0) {
    refusal = message_of(errno);
  } else if ((found.st_mode & 0222) == 0) {
    refusal = "it is read-only";
  }
  return found;
}

bool same_file(const struct stat& file, int descriptor) {
  struct stat other = {};
  return fstat(descriptor, &other) == 0 && other.st_dev == file.st_dev &&
         other.st_ino == file.st_ino;
}

// Calls `make` with new names in the folder of `target` until it succeeds, which it returns as true. Returns the
// name; if `make` fails for another reason than an existing file, an empty one with errno set.
template <class Make>
std::filesystem::path temporary_name(const std::filesystem::path& target, Make make) {
  for (int attempt = 0;; ++attempt) {
    // Not derived from the name of the target, which may already have the maximal length.
    auto path = target.parent_path() /
                (".vkmoye-" + std::to_string(getpid()) + "-" + std::to_string(attempt) + ".tmp");
    if (make(path.c_str())) return path;
    if (errno != EEXIST || attempt == 1000) return {};
  }
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

// Opens an unnamed file, which disappears with the program unless it gets a name. Returns -1 if the system or the
// file system does not support this, or if there is no /proc to name the file through.
int open_unnamed(const std::filesystem::path& folder) {
#if defined(O_TMPFILE)
  if (access("/proc/self/fd", X_OK) != 0) return -1;
  return open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
#else
  static_cast<void>(folder);
  return -1;
#endif
}

// Gives the unnamed file of `descriptor` the name `path`. Returns whether that succeeded.
bool link_to(int descriptor, const char* path) {
  const std::string self = "/proc/self/fd/" + std::to_string(descriptor);
  return linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}

// Blocks signals during its lifetime.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

struct StagedFile::State {
  std::filesystem::path path, target;
  std::filesystem::path temporary;  // its name until it is whole; empty: it has none
  int descriptor = -1;
  bool in_place = false, to_stdout = false;

  std::string open_for_writing();
  std::string give_name();
};

WriteTarget write_target(const std::filesystem::path& path) {
  WriteTarget out;
  out.exists = status_of_target(path, out.refusal).st_mode != 0;
  return out;
}

StagedFile::StagedFile(const std::filesystem::path& path, std::string& refusal)
    : state_(std::make_unique<State>()) {
  refusal.clear();
  state_->path = state_->target = path;
  if (path == "-") {
    state_->in_place = state_->to_stdout = true;
    return;
  }
  const struct stat found = status_of_target(path, refusal);
  if (!refusal.empty()) return;
  // /dev/stdout may be a file: a file renamed over it would not be the one that is printed to.
  state_->to_stdout = found.st_mode != 0 && same_file(found, STDOUT_FILENO);
  state_->in_place = state_->to_stdout || (found.st_mode != 0 && !S_ISREG(found.st_mode));
  if (state_->in_place) return;
  state_->target = follow_links(path);
  if (access(folder_of(state_->target).c_str(), W_OK | X_OK) != 0) refusal = message_of(errno);
}

StagedFile::~StagedFile() {
  if (state_->descriptor >= 0) close(state_->descriptor);
  if (!state_->temporary.empty()) unlink(state_->temporary.c_str());
}

bool StagedFile::goes_to_stdout() const { return state_->to_stdout; }

// Opened at the first write, so that a program that ends before leaves nothing behind.
std::string StagedFile::State::open_for_writing() {
  if (to_stdout) {
    descriptor = dup(STDOUT_FILENO);
  } else if (in_place) {
    descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    std::string refusal;
    const struct stat found = status_of_target(path, refusal);
    if (!refusal.empty()) return refusal;
    descriptor = open_unnamed(folder_of(target));
    if (descriptor < 0) {
      temporary = temporary_name(target, [&](const char* name) {
        descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        return descriptor >= 0;
      });
    }
    if (descriptor >= 0 && found.st_mode != 0) {
      // The owner first: changing it clears some bits of the mode. Only root can change it.
      if (fchown(descriptor, found.st_uid, found.st_gid) != 0) errno = 0;
      if (fchmod(descriptor, found.st_mode & 07777) != 0) return message_of(errno);
    }
  }
  return descriptor < 0 ? message_of(errno) : "";
}

std::string StagedFile::write(std::span<const std::byte> bytes) {
  if (state_->descriptor < 0) {
    if (std::string refusal = state_->open_for_writing(); !refusal.empty()) return refusal;
  }
  while (!bytes.empty()) {
    const ssize_t written = ::write(state_->descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return message_of(written < 0 ? errno : EIO);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return "";
}

// An existing file can only be replaced by a rename: for a moment both files exist.
std::string StagedFile::State::give_name() {
  const NoSignals none;
  if (temporary.empty()) {
    if (link_to(descriptor, target.c_str())) return "";
    if (errno != EEXIST) return message_of(errno);
    temporary = temporary_name(target, [&](const char* name) { return link_to(descriptor, name); });
    if (temporary.empty()) return message_of(errno);
  }
  if (std::rename(temporary.c_str(), target.c_str()) != 0) return message_of(errno);
  temporary.clear();
  return "";
}

std::string StagedFile::commit() {
  // Some pipes and devices cannot be synced, which is not an error.
  if (fsync(state_->descriptor) != 0 && !state_->in_place) return message_of(errno);
  if (!state_->in_place) {
    if (std::string refusal = state_->give_name(); !refusal.empty()) return refusal;
  }
  const int closed = close(state_->descriptor);
  state_->descriptor = -1;
  return closed != 0 ? message_of(errno) : "";
}

}  // namespace vkmoye::system
