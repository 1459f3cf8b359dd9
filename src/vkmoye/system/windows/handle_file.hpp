// SPDX-License-Identifier: MIT
#pragma once
// Files of the Windows API, for file.cpp and staged_file.cpp.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include "vkmoye/system/windows/windows.hpp"

namespace vkmoye::system {

// The messages are those of POSIX, so that a user reads the same.
inline constexpr const char* kIsMissing = "No such file or directory";
inline constexpr const char* kIsFolder = "Is a directory";

inline bool is_missing(DWORD error) {
  return error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND;
}

/// The text of an error of a file.
inline std::string message_of_file(DWORD error) {
  return is_missing(error) ? kIsMissing : message_of(error);
}

/// A handle of a file, closed with its owner.
struct HandleFile {
  HANDLE handle = INVALID_HANDLE_VALUE;
  explicit HandleFile(HANDLE opened = INVALID_HANDLE_VALUE) : handle(opened) {}
  ~HandleFile() { close(); }
  HandleFile(const HandleFile&) = delete;
  HandleFile& operator=(const HandleFile&) = delete;
  bool is_open() const { return handle != INVALID_HANDLE_VALUE; }
  void close() {
    if (is_open()) CloseHandle(std::exchange(handle, INVALID_HANDLE_VALUE));
  }
};

/// Opens what is there; others may read, write, replace and remove it meanwhile, as on POSIX.
inline HANDLE open_existing(const std::filesystem::path& path, DWORD access) {
  return CreateFileW(path.c_str(), access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                     nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
}

/// Opens a new file in `folder` to write it, sets its name, and may add flags, such as FILE_FLAG_DELETE_ON_CLOSE.
inline HANDLE open_new(const std::filesystem::path& folder, const wchar_t* extension,
                       std::filesystem::path& name, DWORD flags = 0) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    // Not derived from the target's name, which may already have the maximum length.
    name = folder / (L".vkmoye-" + std::to_wstring(GetCurrentProcessId()) + L"-" +
                     std::to_wstring(attempt) + extension);
    const HANDLE file = CreateFileW(name.c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW,
                                    FILE_ATTRIBUTE_NORMAL | flags, nullptr);
    if (file != INVALID_HANDLE_VALUE || GetLastError() != ERROR_FILE_EXISTS) return file;
  }
  return INVALID_HANDLE_VALUE;
}

inline bool write_all(HANDLE file, std::span<const std::byte> bytes) {
  constexpr std::size_t kMaxWrite = std::size_t{1} << 30;
  while (!bytes.empty()) {
    DWORD written = 0;
    const auto count = static_cast<DWORD>(std::min(bytes.size(), kMaxWrite));
    if (WriteFile(file, bytes.data(), count, &written, nullptr) == 0) return false;
    bytes = bytes.subspan(written);
  }
  return true;
}

}  // namespace vkmoye::system
