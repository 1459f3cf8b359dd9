// SPDX-License-Identifier: MIT
#include "io/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

#include "vkmoye/base/error.hpp"
#include "vkmoye/system/file.hpp"

namespace vkmoye::bench {
namespace {

[[noreturn]] void refuse_file(const std::string& path, const std::string& why) {
  throw ArgumentError(fmt::format("{}: cannot be written: {}", path, why));
}

std::string message_of(int error) { return std::generic_category().message(error); }

// The status of `path`; st_mode is 0 if there is nothing. Throws if the path must not be written, also for root if
// the file is read-only for everybody.
struct stat look_at(const std::string& path) {
  struct stat found = {};
  if (stat(path.c_str(), &found) != 0) {
    if (errno != ENOENT) refuse_file(path, message_of(errno));
    return {};
  }
  if (S_ISDIR(found.st_mode)) refuse_file(path, message_of(EISDIR));
  if (access(path.c_str(), W_OK) != 0) refuse_file(path, message_of(errno));
  if ((found.st_mode & 0222) == 0) refuse_file(path, "it is read-only");
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
    auto path = target.parent_path() / fmt::format(".vkmoye-{}-{}.tmp", getpid(), attempt);
    if (make(path.c_str())) return path;
    if (errno != EEXIST || attempt == 1000) return {};
  }
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

// Opens an unnamed file, which disappears with the program unless it gets a name. Returns -1 if the file system does
// not support this, or if there is no /proc to name the file through.
int open_unnamed(const std::filesystem::path& folder) {
  if (access("/proc/self/fd", X_OK) != 0) return -1;
  return open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
}

// Gives the unnamed file of `descriptor` the name `path`. Returns whether that succeeded.
bool link_to(int descriptor, const char* path) {
  const std::string self = fmt::format("/proc/self/fd/{}", descriptor);
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

OutputFile::OutputFile(const std::string& path) : path_(path), target_(path) {
  if (path == "-") {
    in_place_ = to_stdout_ = true;
    return;
  }
  const struct stat found = look_at(path);
  // /dev/stdout may be a file: a file renamed over it would not be the one that is printed to.
  to_stdout_ = found.st_mode != 0 && same_file(found, STDOUT_FILENO);
  in_place_ = to_stdout_ || (found.st_mode != 0 && !S_ISREG(found.st_mode));
  if (in_place_) return;
  target_ = system::follow_links(path);
  if (access(folder_of(target_).c_str(), W_OK | X_OK) != 0) refuse(errno);
}

// Opened at the first write, so that a program that ends before leaves nothing behind.
void OutputFile::open_for_writing() {
  if (to_stdout_) {
    descriptor_ = dup(STDOUT_FILENO);
  } else if (in_place_) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    const struct stat found = look_at(path_);
    descriptor_ = open_unnamed(folder_of(target_));
    if (descriptor_ < 0) {
      temporary_ = temporary_name(target_, [&](const char* name) {
        descriptor_ = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        return descriptor_ >= 0;
      });
    }
    if (descriptor_ >= 0 && found.st_mode != 0) {
      // The owner first: changing it clears some bits of the mode. Only root can change it.
      if (fchown(descriptor_, found.st_uid, found.st_gid) != 0) errno = 0;
      if (fchmod(descriptor_, found.st_mode & 07777) != 0) refuse(errno);
    }
  }
  if (descriptor_ < 0) refuse(errno);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::refuse(int error) const { refuse_file(path_, message_of(error)); }

void OutputFile::write(std::span<const std::byte> bytes) {
  if (descriptor_ < 0) open_for_writing();
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) refuse(written < 0 ? errno : EIO);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

// An existing file can only be replaced by a rename: for a moment both files exist.
void OutputFile::give_name() {
  const NoSignals none;
  if (temporary_.empty()) {
    if (link_to(descriptor_, target_.c_str())) return;
    if (errno != EEXIST) refuse(errno);
    temporary_ =
        temporary_name(target_, [&](const char* name) { return link_to(descriptor_, name); });
    if (temporary_.empty()) refuse(errno);
  }
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) refuse(errno);
  temporary_.clear();
}

void OutputFile::commit() {
  // Some pipes and devices cannot be synced, which is not an error.
  if (fsync(descriptor_) != 0 && !in_place_) refuse(errno);
  if (!in_place_) give_name();
  const int closed = close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) refuse(errno);
}

StreamedFile::StreamedFile(const std::string& path) : path_(path) {
  made_ = look_at(path).st_mode == 0;
  errno = 0;
  stream_.open(path, std::ios::binary);
  if (!stream_) refuse_file(path, message_of(errno));
}

void StreamedFile::close() {
  stream_.close();
  if (!stream_) throw ArgumentError(fmt::format("{}: could not be written to its end", path_));
}

StreamedFile::~StreamedFile() {
  stream_.close();
  if (made_) unlink(system::follow_links(path_).c_str());
}

}  // namespace vkmoye::bench
