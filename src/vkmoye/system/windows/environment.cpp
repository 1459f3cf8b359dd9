// SPDX-License-Identifier: MIT
#include "vkmoye/system/environment.hpp"

#include <cstdlib>
#include <cstring>
#include <string>

#include "vkmoye/system/windows/windows.hpp"

namespace vkmoye::system {

std::filesystem::path path_variable(const char* name) {
  const std::wstring wide(name, name + std::strlen(name));  // names are ASCII
  const wchar_t* value = _wgetenv(wide.c_str());
  return value != nullptr ? value : L"";
}

std::filesystem::path cache_home() {
  if (const auto local = path_variable("LOCALAPPDATA"); local.is_absolute()) return local;
  return {};
}

namespace {

std::filesystem::path file_of(HMODULE module) {
  std::wstring name(32768, L'\0');  // the longest path
  const DWORD length = GetModuleFileNameW(module, name.data(), static_cast<DWORD>(name.size()));
  name.resize(length < name.size() ? length : 0);
  return name;
}

}  // namespace

std::filesystem::path program_file() { return file_of(nullptr); }

std::filesystem::path library_file() {
  HMODULE module = nullptr;
  constexpr DWORD kOfAddress =
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  const auto* address = reinterpret_cast<LPCWSTR>(&library_file);
  return GetModuleHandleExW(kOfAddress, address, &module) != 0 ? file_of(module)
                                                               : std::filesystem::path();
}

}  // namespace vkmoye::system
