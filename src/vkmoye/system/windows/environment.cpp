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

std::filesystem::path program_file() {
  std::wstring name(32768, L'\0');  // the longest path
  const DWORD length = GetModuleFileNameW(nullptr, name.data(), static_cast<DWORD>(name.size()));
  name.resize(length < name.size() ? length : 0);
  return name;
}

}  // namespace vkmoye::system
