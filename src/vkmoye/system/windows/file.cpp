// SPDX-License-Identifier: MIT
#include "vkmoye/system/file.hpp"

#include "vkmoye/system/windows/handle_file.hpp"

namespace vkmoye::system {
namespace {

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

// Renames `from` to `to`. While another has `to` open, Windows may refuse: tried again for a quarter of a second.
// Returns the error, 0 if it is done.
DWORD rename_over(const std::filesystem::path& from, const std::filesystem::path& to) {
  for (DWORD pause = 1;; pause *= 2) {
    if (MoveFileExW(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH))
      return 0;
    const DWORD error = GetLastError();
    const bool may_pass = error == ERROR_ACCESS_DENIED || error == ERROR_SHARING_VIOLATION;
    if (!may_pass || pause > 128) return error;
    Sleep(pause);
  }
}

}  // namespace

std::string reason_against_reading(const std::filesystem::path& path) {
  const DWORD attributes = GetFileAttributesW(path.c_str());
  if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
    return kIsFolder;
  }
  const HandleFile file(open_existing(path, GENERIC_READ));
  if (!file.is_open()) return message_of_file(GetLastError());
  return GetFileType(file.handle) == FILE_TYPE_DISK
             ? ""
             : "is not a regular file; save the data of a pipe to a file first";
}

std::vector<std::byte> read_file(const std::filesystem::path& path, std::string& error) {
  error.clear();
  const HandleFile file(open_existing(path, GENERIC_READ));
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
  HandleFile file(open_new(target.parent_path(), L".new", temporary));
  if (!file.is_open()) return message_of_file(GetLastError());
  const bool written = write_all(file.handle, contents) && FlushFileBuffers(file.handle) != 0;
  DWORD error = written ? 0 : GetLastError();
  file.close();  // an open file cannot be renamed
  if (written) error = rename_over(temporary, target);
  if (error == 0) return "";
  DeleteFileW(temporary.c_str());
  return message_of(error);
}

}  // namespace vkmoye::system
