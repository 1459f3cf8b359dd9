// SPDX-License-Identifier: MIT
#include "vkmoye/system/file.hpp"

#include <algorithm>
#include <utility>

#include "vkmoye/system/windows/windows.hpp"

namespace vkmoye::system {
namespace {

using system::message_of;

// As on POSIX, so that what a user reads is the same.
constexpr const char* kIsMissing = "No such file or directory";
constexpr const char* kIsFolder = "Is a directory";

// A handle of a file, closed with its owner.
struct File {
  HANDLE handle = INVALID_HANDLE_VALUE;
  ~File() { close(); }
  bool is_open() const { return handle != INVALID_HANDLE_VALUE; }
  void close() {
    if (is_open()) CloseHandle(std::exchange(handle, INVALID_HANDLE_VALUE));
  }
};

// Others may replace and remove it meanwhile, as on POSIX.
HANDLE open_to_read(const std::filesystem::path& path) {
  return CreateFileW(path.c_str(), GENERIC_READ,
                     FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, OPEN_EXISTING,
                     FILE_ATTRIBUTE_NORMAL, nullptr);
}

bool is_missing(DWORD error) {
  return error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND;
}

bool write_all(HANDLE file, std::span<const std::byte> bytes) {
  constexpr std::size_t kMaxWrite = std::size_t{1} << 30;
  while (!bytes.empty()) {
    DWORD written = 0;
    const auto count = static_cast<DWORD>(std::min(bytes.size(), kMaxWrite));
    if (WriteFile(file, bytes.data(), count, &written, nullptr) == 0) return false;
    bytes = bytes.subspan(written);
  }
  return true;
}

// Why `path` must not be replaced; "" if it may be, also because there is nothing.
std::string reason_against_replacing(const std::filesystem::path& path) {
  const DWORD attributes = GetFileAttributesW(path.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) {
    const DWORD error = GetLastError();
    return is_missing(error) ? "" : message_of(error);
  }
  if ((attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) return kIsFolder;
  if ((attributes & FILE_ATTRIBUTE_DEVICE) != 0) return "not a regular file";
  if ((attributes & FILE_ATTRIBUTE_READONLY) != 0) return "it is read-only";
  return "";
}

// Opens a new file in `folder` and sets its name.
HANDLE open_new(const std::filesystem::path& folder, std::filesystem::path& name) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    name = folder / (L".vkmoye-" + std::to_wstring(GetCurrentProcessId()) + L"-" +
                     std::to_wstring(attempt) + L".new");
    const HANDLE file = CreateFileW(name.c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW,
                                    FILE_ATTRIBUTE_NORMAL, nullptr);
    if (file != INVALID_HANDLE_VALUE || GetLastError() != ERROR_FILE_EXISTS) return file;
  }
  return INVALID_HANDLE_VALUE;
}

}  // namespace

std::string reason_against_reading(const std::filesystem::path& path) {
  const DWORD attributes = GetFileAttributesW(path.c_str());
  if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
    return kIsFolder;
  }
  const File file{open_to_read(path)};
  if (!file.is_open()) return is_missing(GetLastError()) ? kIsMissing : message_of(GetLastError());
  return GetFileType(file.handle) == FILE_TYPE_DISK
             ? ""
             : "is not a regular file; save the data of a pipe to a file first";
}

std::vector<std::byte> read_file(const std::filesystem::path& path, std::string& error) {
  error.clear();
  const File file{open_to_read(path)};
  if (!file.is_open()) {
    const DWORD why = GetLastError();
    const DWORD attributes = GetFileAttributesW(path.c_str());
    const bool is_folder =
        attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    if (is_folder) {
      error = "not a regular file of at most 1 GiB";
    } else if (!is_missing(why)) {
      error = message_of(why);
    }
    return {};
  }
  LARGE_INTEGER size = {};
  if (GetFileType(file.handle) != FILE_TYPE_DISK || GetFileSizeEx(file.handle, &size) == 0 ||
      static_cast<std::uint64_t>(size.QuadPart) > kMaxFileBytes) {
    error = "not a regular file of at most 1 GiB";
    return {};
  }
  std::vector<std::byte> contents(static_cast<std::size_t>(size.QuadPart));
  std::size_t filled = 0;
  while (filled < contents.size()) {
    DWORD got = 0;
    if (ReadFile(file.handle, contents.data() + filled,
                 static_cast<DWORD>(contents.size() - filled), &got, nullptr) == 0) {
      error = message_of(GetLastError());
      return {};
    }
    if (got == 0) break;  // shorter than before: a checksum detects this
    filled += got;
  }
  contents.resize(filled);
  return contents;
}

std::string replace_file(const std::filesystem::path& path, std::span<const std::byte> contents,
                         Permissions /*as the folder says*/) {
  if (std::string reason = reason_against_replacing(path); !reason.empty()) return reason;
  const std::filesystem::path target = follow_links(path);
  std::filesystem::path temporary;
  File file{open_new(target.parent_path(), temporary)};
  if (!file.is_open()) return is_missing(GetLastError()) ? kIsMissing : message_of(GetLastError());
  bool done = write_all(file.handle, contents) && FlushFileBuffers(file.handle) != 0;
  DWORD error = done ? 0 : GetLastError();
  file.close();  // an open file cannot be renamed
  if (done) {
    done = MoveFileExW(temporary.c_str(), target.c_str(),
                       MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0;
    if (!done) error = GetLastError();
  }
  if (done) return "";
  DeleteFileW(temporary.c_str());
  return message_of(error);
}

}  // namespace vkmoye::system
