#include "io/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "vkmoye/base/error.hpp"

namespace vkmoye::bench {
namespace {

[[noreturn]] void refuse_file(const std::string& path, const std::string& why) {
  throw ArgumentError(fmt::format("{}: cannot be written: {}", path, why));
}

std::string message_of(int error) { return std::generic_category().message(error); }

// Follows symbolic links, also to a file that is not there yet.
std::filesystem::path resolve(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // as many as Linux follows
  std::error_code error;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, error); ++i) {
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  }
  return path;
}

// What stands at `path`; nothing: st_mode is 0. Refuses what must not be written. Root may write
// to a file without any permission to write: whoever took them all away did not want that either.
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

// A new file beside `target` that nobody else uses. Empty path and errno set if there is none.
std::filesystem::path make_temporary(const std::filesystem::path& target, int& descriptor) {
  for (int attempt = 0;; ++attempt) {
    // Not made from the target's name, which may be as long as a name can be.
    auto path = target.parent_path() / fmt::format(".vkmoye-{}-{}.tmp", getpid(), attempt);
    descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) return path;
    if (errno != EEXIST || attempt == 1000) return {};
  }
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), target_(path) {
  const struct stat found = look_at(path);
  // /dev/stdout may be a file: renaming another over it would part it from what is printed.
  to_stdout_ = found.st_mode != 0 && same_file(found, STDOUT_FILENO);
  in_place_ = to_stdout_ || (found.st_mode != 0 && !S_ISREG(found.st_mode));
  if (in_place_) return;
  target_ = resolve(path);
  const auto folder = target_.has_parent_path() ? target_.parent_path() : ".";
  if (access(folder.c_str(), W_OK | X_OK) != 0) refuse(errno);
}

// Not before there is something to write: what ends the program until then leaves nothing behind.
void OutputFile::open_for_writing() {
  if (to_stdout_) {
    descriptor_ = dup(STDOUT_FILENO);
  } else if (in_place_) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    const struct stat found = look_at(path_);
    temporary_ = make_temporary(target_, descriptor_);
    if (descriptor_ >= 0 && found.st_mode != 0) {
      // The owner first: changing it clears some bits of the mode. Only root may give files away.
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

void OutputFile::commit() {
  // Some pipes and devices cannot be synced: that is no loss.
  if (fsync(descriptor_) != 0 && !in_place_) refuse(errno);
  const int closed = close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) refuse(errno);
  if (in_place_) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) refuse(errno);
  temporary_.clear();
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
  if (made_) unlink(resolve(path_).c_str());
}

}  // namespace vkmoye::bench
