// SPDX-License-Identifier: MIT
#include "vkmoye/system/folder_lock.hpp"

#include "vkmoye/system/windows/windows.hpp"

namespace vkmoye::system {
namespace {

HANDLE handle_of(std::intptr_t number) { return reinterpret_cast<HANDLE>(number); }

}  // namespace

LockableFolder::LockableFolder(const std::filesystem::path& folder)
    : handle_(reinterpret_cast<std::intptr_t>(
          CreateFileW((folder / ".vkmoye-lock").c_str(), GENERIC_READ | GENERIC_WRITE,
                      FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, OPEN_ALWAYS,
                      FILE_ATTRIBUTE_HIDDEN, nullptr))) {}

LockableFolder::~LockableFolder() {
  if (handle_ != -1) CloseHandle(handle_of(handle_));
}

LockableFolder::Outcome LockableFolder::try_lock() {
  if (handle_ == -1) return Outcome::impossible;
  OVERLAPPED first_byte = {};
  if (LockFileEx(handle_of(handle_), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
                 &first_byte) != 0) {
    return Outcome::locked;
  }
  const DWORD error = GetLastError();
  return error == ERROR_LOCK_VIOLATION || error == ERROR_IO_PENDING ? Outcome::busy
                                                                    : Outcome::impossible;
}

}  // namespace vkmoye::system
